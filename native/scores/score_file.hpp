/// A table of scores over all subsets in a file: for tables that memory does not hold, and for work that is to go on after a stop.
///
/// It is read and written by blocks of 2^12 scores. Every block has a checksum that depends on its content, its place and a key that
/// says what was computed; a block with another one (never written, of other work, damaged) counts as missing. The file holds all blocks,
/// then all checksums; its space is reserved when it is made, so that writing cannot fail for want of it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "best_parents.hpp"
#include "score.hpp"

namespace dagmass {

/// A block that was complete is not any more.
struct DamagedTable : std::exception {
    const char* what() const noexcept override {
        return "A table on disk was damaged while it was in use. Start again: what is missing of a checkpoint is computed again.";
    }
};

class ScoreFile {
  public:
    static constexpr std::size_t block_size = std::size_t{1} << block_bits;

    /// Opens the file if it has the right size, otherwise makes it. At least block_bits variables.
    ScoreFile(const std::string& path, int num_variables, std::uint64_t key)
        : num_blocks_(num_blocks(num_variables)), key_(key), file_(::open(path.c_str(), O_RDWR | O_CREAT, 0600)) {
        if (file_ < 0) fail("open", path);
        try {
            reserve(path);
            checksums_.resize(num_blocks_);
            read_at(checksums_.data(), num_blocks_ * sizeof(std::uint64_t), num_blocks_ * block_bytes);
        } catch (...) {
            ::close(file_);
            throw;
        }
    }
    ScoreFile(const ScoreFile&) = delete;
    ScoreFile& operator=(const ScoreFile&) = delete;
    ~ScoreFile() { ::close(file_); }

    static std::size_t num_bytes(int num_variables) { return num_blocks(num_variables) * (block_bytes + sizeof(std::uint64_t)); }

    /// Read a block; false where it is missing.
    bool try_read(std::size_t block, std::span<Score> values) const {
        if (checksums_[block] == 0) return false;
        read_at(values.data(), block_bytes, block * block_bytes);
        return checksum(block, values) == checksums_[block];
    }

    /// Read a block that must be there.
    void read(std::size_t block, std::span<Score> values) const {
        if (!try_read(block, values)) throw DamagedTable();
    }

    void write(std::size_t block, std::span<const Score> values) {
        write_at(values.data(), block_bytes, block * block_bytes);
        checksums_[block] = checksum(block, values);
        write_at(&checksums_[block], sizeof(std::uint64_t), num_blocks_ * block_bytes + block * sizeof(std::uint64_t));
    }

  private:
    static constexpr std::size_t block_bytes = block_size * sizeof(Score);

    static std::size_t num_blocks(int num_variables) {
        if (num_variables < block_bits) throw std::invalid_argument("a table in a file has at least one block");
        return std::size_t{1} << (num_variables - block_bits);
    }

    [[noreturn]] static void fail(const char* what, const std::string& path, int error = errno) {
        throw std::system_error(error, std::generic_category(), std::string(what) + " " + path);
    }

    void reserve(const std::string& path) const {
        struct stat about{};
        if (::fstat(file_, &about) != 0) fail("open", path);
        const auto size = static_cast<off_t>(num_blocks_ * (block_bytes + sizeof(std::uint64_t)));
        if (about.st_size == size) return;
        if (::ftruncate(file_, 0) != 0) fail("empty", path);
#if defined(__linux__)
        const int error = ::posix_fallocate(file_, 0, size);
#else
        const int error = ::ftruncate(file_, size) == 0 ? 0 : errno;
#endif
        if (error == 0) return;
        ::unlink(path.c_str());
        fail("reserve", path, error);
    }

    void read_at(void* to, std::size_t count, std::size_t offset) const {
        for (auto* bytes = static_cast<char*>(to); count > 0;) {
            const auto done = ::pread(file_, bytes, count, static_cast<off_t>(offset));
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) fail("read", "a table on disk", done == 0 ? EIO : errno);
            bytes += done, offset += static_cast<std::size_t>(done), count -= static_cast<std::size_t>(done);
        }
    }

    void write_at(const void* from, std::size_t count, std::size_t offset) const {
        for (auto* bytes = static_cast<const char*>(from); count > 0;) {
            const auto done = ::pwrite(file_, bytes, count, static_cast<off_t>(offset));
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) fail("write", "a table on disk");
            bytes += done, offset += static_cast<std::size_t>(done), count -= static_cast<std::size_t>(done);
        }
    }

    /// Never zero: that is what a new file holds.
    std::uint64_t checksum(std::size_t block, std::span<const Score> values) const {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
        std::array<std::uint64_t, 4> lanes{key_, block, ~key_, ~static_cast<std::uint64_t>(block)};
        for (std::size_t i = 0; i < values.size(); i += lanes.size())
            for (std::size_t lane = 0; lane < lanes.size(); ++lane)
                lanes[lane] = (std::rotl(lanes[lane], 29) ^ static_cast<std::uint64_t>(values[i + lane])) * odd;
        std::uint64_t sum = key_;
        for (const auto lane : lanes) sum = (std::rotl(sum, 31) ^ lane ^ lane >> 32) * odd;
        return sum | 1;
    }

    std::size_t num_blocks_;
    std::uint64_t key_;
    int file_;
    std::vector<std::uint64_t> checksums_;
};

/// Single scores of a table on disk. The blocks used last stay in memory; threads share them.
class BlockCache {
  public:
    BlockCache(const ScoreFile& file, std::size_t max_bytes)
        : file_(file), max_blocks_(std::max<std::size_t>(max_bytes / sizeof(Block) / shards_.size(), 1)) {}

    Score operator[](Varset set) const {
        const std::size_t block = set >> block_bits;
        Shard& shard = shards_[block % shards_.size()];
        const std::lock_guard lock(shard.mutex);
        return shard.find(file_, block, max_blocks_)[set & first_variables(block_bits)];
    }

  private:
    using Block = std::array<Score, ScoreFile::block_size>;
    using Entry = std::pair<std::size_t, std::unique_ptr<Block>>;

    struct Shard {
        std::mutex mutex;
        std::list<Entry> blocks;  // used last first
        std::unordered_map<std::size_t, std::list<Entry>::iterator> place;

        const Block& find(const ScoreFile& file, std::size_t block, std::size_t max_blocks) {
            if (const auto known = place.find(block); known != place.end()) {
                blocks.splice(blocks.begin(), blocks, known->second);
                return *known->second->second;
            }
            auto values = std::make_unique<Block>();
            file.read(block, *values);
            if (blocks.size() >= max_blocks) {
                place.erase(blocks.back().first);
                blocks.pop_back();
            }
            blocks.emplace_front(block, std::move(values));
            place[block] = blocks.begin();
            return *blocks.front().second;
        }
    };

    const ScoreFile& file_;
    std::size_t max_blocks_;
    mutable std::array<Shard, 16> shards_;
};

}  // namespace dagmass
