/// The smallest test framework: say what failed and where, then stop.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

inline void check(bool holds, const char* what, std::source_location where = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: %s\n", where.file_name(), static_cast<unsigned>(where.line()), what);
    std::exit(1);
}
