/// Arrays of many million numbers: not set to zero beforehand, and in large pages where the system has them. Both save a large part of the
/// time that tables over all subsets would take to come into being.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dagmass {

template <class T>
struct LargeAllocator {
    using value_type = T;

    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) {}

    T* allocate(std::size_t count) {
        static_assert(alignof(T) <= 64);
        const std::size_t bytes = count * sizeof(T);
        const std::size_t alignment = bytes < page ? 64 : page;
        void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        if (!memory) throw std::bad_alloc();
#if defined(__linux__)
        if (bytes >= page) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: what comes of it does not matter
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }

    /// Numbers that nobody asked for are left as they are.
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(static_cast<Arguments&&>(arguments)...);
    }

    friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

  private:
    static constexpr std::size_t page = std::size_t{1} << 21;
};

/// A vector whose `resize` leaves new numbers as they are.
template <class T>
using LargeArray = std::vector<T, LargeAllocator<T>>;

}  // namespace dagmass
