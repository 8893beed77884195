// Tables in files, read and written by several threads.
#include <cstdio>
#include <filesystem>
#include <vector>

#include "check.hpp"
#include "random_rows.hpp"
#include "scores/families.hpp"
#include "scores/set_function.hpp"
#include "search/best_first.hpp"

using namespace dagmass;

namespace {

constexpr int num_variables = 14;

struct TemporaryFile {
    explicit TemporaryFile(const char* name)
        : path((std::filesystem::temp_directory_path() / name).string() + std::to_string(::getpid())) {}
    ~TemporaryFile() { std::filesystem::remove(path); }
    std::string path;
};

NetworkBatch best(const SetFunctionScores& scores, const TablePlace& place) {
    Job job;
    job.num_threads = 4;
    const auto make = [&](Score slack, std::size_t max_sets, Job& used) { return gap_lists(scores, slack, used, max_sets); };
    BestFirst<NetworkStates> search(SearchLists(make, Score{6} << 40, SIZE_MAX, job), Score{1} << 40, {}, job, place);
    return search.take(2000, job);
}

void a_search_in_files_equals_one_in_memory(const CodedRows& rows) {
    const TemporaryFile scores_path("dagmass-scores"), best_path("dagmass-best");
    std::vector<Score> values(Varset{1} << num_variables), part(values.size() / 4);
    Job job;
    job.num_threads = 4;
    bdeu_set_function(rows, {1.0, 40}, {num_variables}, values, job);
    ScoreFile file(scores_path.path, num_variables, 3);
    for (Varset fixed = 0; fixed < 4; ++fixed) {
        bdeu_set_function(rows, {1.0, 40}, {num_variables, {}, 2, fixed}, part, job);
        file.write(fixed, part);
    }
    ScoreFile best_file(best_path.path, num_variables, 4);
    const auto in_memory = best({num_variables, values, {}}, {});
    const auto in_files = best({num_variables, {}, {}, {}, {}, &file}, {&best_file, 1});
    check(in_memory.parents == in_files.parents && in_memory.scores == in_files.scores, "files change nothing");
    ScoreFile reopened(best_path.path, num_variables, 4);
    check(best({num_variables, values, {}}, {&reopened, 0}).parents == in_memory.parents, "a table is read again");
}

void other_blocks_are_missing() {
    const TemporaryFile path("dagmass-blocks");
    std::vector<Score> values(ScoreFile::block_size, 7), found(values.size());
    {
        ScoreFile file(path.path, num_variables, 3);
        file.write(1, values);
        check(file.try_read(1, found) && found == values, "what was written is read");
        check(!file.try_read(0, found), "what was not written is missing");
    }
    check(!ScoreFile(path.path, num_variables, 4).try_read(1, found), "blocks of other work are missing");
    std::FILE* raw = std::fopen(path.path.c_str(), "r+b");
    std::fseek(raw, static_cast<long>(ScoreFile::block_size * sizeof(Score)) + 99, SEEK_SET);
    std::fputc(1, raw);
    std::fclose(raw);
    check(!ScoreFile(path.path, num_variables, 3).try_read(1, found), "damaged blocks are missing");
}

}  // namespace

int main() {
    const RandomRows random(num_variables, 120, 11);
    a_search_in_files_equals_one_in_memory(random.view());
    other_blocks_are_missing();
}
