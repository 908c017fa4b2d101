// SPDX-License-Identifier: MIT
// Lets generic code (a dump, a comparison) visit the fields of any record without knowing its type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "perfdata/core/types.hpp"

namespace perfdata {

// FieldArray is a run of integers of the file: U64View or ArrayView.
template <class T>
concept FieldArray = !std::convertible_to<T, std::string_view> && requires(const T& array, std::size_t index) {
    { array.size() } -> std::convertible_to<std::size_t>;
    { array[index] } -> std::integral;
};

// FieldValue is any type that a field can have. Bytes is payload that this record does not interpret; texts contain any
// bytes. Views live as long as the record.
template <class T>
concept FieldValue = std::integral<T> || std::same_as<T, double> || std::same_as<T, Address> || std::same_as<T, Time> ||
    std::same_as<T, std::string_view> || std::same_as<T, Bytes> || FieldArray<T>;

// FieldVisitor is what the member fields(visit) of a record requires:
//
//     visit(name, value)           a FieldValue, by its name in uapi perf_event.h or libperf's event.h
//     visit.list(name, count, at)  `count` structures: at(index, element) calls element(name, value) for each field of
//                                  one of them; element is a FieldVisitor, too. Some of them may be skipped.
//
// Names come in file order, each once; reserved bytes, padding, header and trailer are left out. Fields that this
// record's version lacks are not visited. One structure inside a record is a list of one. After the fields come, as
// bool, the bits of misc that have a meaning for the type, named like PERF_RECORD_MISC_*.
template <class V>
concept FieldVisitor = requires(V& visit, std::string_view name) {
    visit(name, std::uint64_t{});
    visit(name, std::int32_t{});
    visit(name, double{});
    visit(name, bool{});
    visit(name, Address{});
    visit(name, Time{});
    visit(name, name);
    visit(name, Bytes{});
    visit.list(name, std::size_t{}, [](std::size_t, auto&& element) { element(std::string_view{}, std::uint64_t{}); });
};

}  // namespace perfdata
