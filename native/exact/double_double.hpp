/// Numbers of twice the precision: an unevaluated sum of two doubles (Dekker 1971; Hida, Li and Bailey 2001).
///
/// T is double, or a vector of doubles that has the same operators. Relative error of + and *: below 2^-102.
#pragma once

namespace dagmass {

/// Eight doubles side by side; the compiler maps them to the registers there are.
using Vec8 = double __attribute__((vector_size(64)));

template <class T>
struct DoubleDouble {
    T hi{}, lo{};

    DoubleDouble() = default;
    constexpr DoubleDouble(T hi, T lo = T{}) : hi(hi), lo(lo) {}
};

/// a + b without error, for any a and b.
template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> two_sum(const T& a, const T& b) {
    const T sum = a + b;
    const T part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

/// a + b without error where |a| >= |b|.
template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> quick_two_sum(const T& a, const T& b) {
    const T sum = a + b;
    return {sum, b - (sum - a)};
}

/// a * b without error, by splitting both into halves of 26 bits.
template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> two_product(const T& a, const T& b) {
    constexpr double splitter = 134217729.0;  // 2^27 + 1
    const T product = a * b;
    const T a_big = a * splitter, b_big = b * splitter;
    const T a_hi = a_big - (a_big - a), b_hi = b_big - (b_big - b);
    const T a_lo = a - a_hi, b_lo = b - b_hi;
    return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> operator+(const DoubleDouble<T>& a, const DoubleDouble<T>& b) {
    const auto high = two_sum(a.hi, b.hi);
    const auto low = two_sum(a.lo, b.lo);
    const auto sum = quick_two_sum(high.hi, high.lo + low.hi);
    return quick_two_sum(sum.hi, sum.lo + low.lo);
}

template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> operator-(const DoubleDouble<T>& a) {
    return {-a.hi, -a.lo};
}

template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> operator-(const DoubleDouble<T>& a, const DoubleDouble<T>& b) {
    return a + -b;
}

template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> operator*(const DoubleDouble<T>& a, const DoubleDouble<T>& b) {
    const auto product = two_product(a.hi, b.hi);
    return quick_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// Times a power of two, which is exact.
template <class T>
[[gnu::always_inline]] inline DoubleDouble<T> operator*(const DoubleDouble<T>& a, const T& power) {
    return {a.hi * power, a.lo * power};
}

template <class T>
DoubleDouble<T>& operator+=(DoubleDouble<T>& a, const DoubleDouble<T>& b) {
    return a = a + b;
}

}  // namespace dagmass
