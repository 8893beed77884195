/// Arrays on their way between Python and the kernels.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace dagmass::bind {

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using OutputArray = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::span<T> view(const OutputArray<T>& array) {
    return {array.data(), array.size()};
}

/// Hand a vector over to Python: the array owns it.
template <class T, class Allocator>
NumpyArray<T> to_numpy(std::vector<T, Allocator>&& values, std::initializer_list<std::size_t> shape) {
    auto owned = std::make_unique<std::vector<T, Allocator>>(std::move(values));
    T* data = owned->data();
    nb::capsule owner(owned.release(), [](void* vector) noexcept { delete static_cast<std::vector<T, Allocator>*>(vector); });
    return NumpyArray<T>(data, shape.size(), shape.begin(), owner);
}

template <class T, class Allocator>
NumpyArray<T> to_numpy(std::vector<T, Allocator>&& values) {
    const std::size_t count = values.size();
    return to_numpy(std::move(values), {count});
}

}  // namespace dagmass::bind
