/// Which vector instructions the hot kernels may use. The level can be lowered, so that tests compare all of them.
///
/// A kernel is written once as an always-inline body; `at_level` gives it a copy compiled for each level. Every level runs the
/// same integer operations and returns the same bits.
#pragma once

#include <atomic>

namespace dagmass {

enum class VectorLevel : int { baseline = 0, avx2 = 1, avx512 = 2 };

inline VectorLevel supported_level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return VectorLevel::avx512;
    if (__builtin_cpu_supports("avx2")) return VectorLevel::avx2;
#endif
    return VectorLevel::baseline;
}

inline std::atomic<VectorLevel>& current_level() {
    static std::atomic<VectorLevel> level{supported_level()};
    return level;
}

#if defined(__x86_64__) && !defined(DAGMASS_BASELINE_ONLY)
template <class Body>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")]] void at_avx512(const Body& body) {
    body();
}
template <class Body>
[[gnu::target("avx2")]] void at_avx2(const Body& body) {
    body();
}
#endif

/// Run an always-inline lambda, `[&]() __attribute__((always_inline)) { ... }`, compiled for the current level.
template <class Body>
void at_level(const Body& body) {
#if defined(__x86_64__) && !defined(DAGMASS_BASELINE_ONLY)
    switch (current_level().load(std::memory_order_relaxed)) {
        case VectorLevel::avx512:
            return at_avx512(body);
        case VectorLevel::avx2:
            return at_avx2(body);
        case VectorLevel::baseline:
            break;
    }
#endif
    body();
}

/// A vector from where it may lie in an array, and back.
template <class Vector, class Number>
[[gnu::always_inline]] inline Vector load_vector(const Number* from) {
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}
template <class Vector, class Number>
[[gnu::always_inline]] inline void store_vector(Number* to, const Vector& vector) {
    __builtin_memcpy(to, &vector, sizeof vector);
}

/// Lane i of what comes out is lane lanes[i] of `first`, or of `second` where that goes on counting. GCC has a word for it; other compilers
/// find the instruction by themselves where the lanes are known.
template <class Vector, class Indices>
[[gnu::always_inline]] inline Vector shuffled(const Vector& first, const Vector& second, const Indices& lanes) {
#if defined(__clang__)
    constexpr int count = sizeof(Vector) / sizeof(first[0]);
    Vector found = first;
    for (int i = 0; i < count; ++i) found[i] = lanes[i] < count ? first[lanes[i]] : second[lanes[i] - count];
    return found;
#else
    return __builtin_shuffle(first, second, lanes);
#endif
}
template <class Vector, class Indices>
[[gnu::always_inline]] inline Vector shuffled(const Vector& vector, const Indices& lanes) {
#if defined(__clang__)
    return shuffled(vector, vector, lanes);
#else
    return __builtin_shuffle(vector, lanes);
#endif
}

}  // namespace dagmass
