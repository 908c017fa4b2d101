// SPDX-License-Identifier: MIT
// Tables of header features: elements of varying size are read one at a time, elements of fixed size are a view.
#pragma once

#include <optional>

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/feature/strings.hpp"

namespace perfdata {

// FeatureList reads `count` elements, packed. An Element has
//     static constexpr std::size_t min_bytes;     // of one on disk, not 0
//     static constexpr std::string_view what;     // "a NUMA node", for errors
//     static Element read(Cursor& in);            // may read beyond the end: the list checks
template <class Element>
class FeatureList {
  public:
    // The count is a u32 before the elements, or the argument `count`, read earlier.
    explicit FeatureList(Cursor in) : in_(in), count_(in_.u32()), left_(count_) {}
    FeatureList(Cursor in, std::uint64_t count) : in_(in), count_(count), left_(count) {}

    // count() returns the count as written: not checked, do not allocate for it.
    std::uint64_t count() const { return count_; }
    // cursor() returns the position behind what was read.
    const Cursor& cursor() const { return in_; }

    // next() returns the next element, empty at the end. After an error the rest of the section cannot be framed.
    Result<std::optional<Element>> next() {
        if (!in_.ok()) return in_.failure("the count or what is before it");
        if (left_ == 0) return std::nullopt;
        if (!in_.fits(left_, Element::min_bytes)) {
            return in_.failure("a table of " + std::to_string(left_) + " times " + std::string(Element::what));
        }
        --left_;
        const auto element = Element::read(in_);
        if (!in_.ok()) return in_.failure(Element::what);
        return element;
    }

  private:
    Cursor in_;
    std::uint64_t count_;
    std::uint64_t left_;
};

// FeatureArray is a view of elements of fixed size; it lives as long as the section. An Element has
//     static constexpr std::size_t bytes;
//     static Element decode(const std::byte* at, AnyOrder order);
template <class Element>
class FeatureArray {
  public:
    FeatureArray() = default;
    // The bytes must hold whole elements.
    FeatureArray(Bytes bytes, AnyOrder order) : bytes_(bytes), order_(order) {}

    std::size_t size() const { return bytes_.size() / Element::bytes; }  // number of elements
    bool empty() const { return size() == 0; }                           // there are none
    // The index must be below size().
    Element operator[](std::size_t index) const {
        return Element::decode(bytes_.data() + index * Element::bytes, order_);
    }

  private:
    Bytes bytes_;
    AnyOrder order_;
};

// skip_feature_strings(in) skips a u32 count and that many strings, and returns a list to read them.
inline FeatureStringList skip_feature_strings(Cursor& in) {
    const FeatureStringList list(in);
    auto walk = list;
    std::string_view text;
    while (walk.next(text)) continue;
    in = walk.cursor();
    return list;
}

}  // namespace perfdata
