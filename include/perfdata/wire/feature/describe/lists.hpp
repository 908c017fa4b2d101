// SPDX-License-Identifier: MIT
// Part of describe.hpp: building blocks for features.
#pragma once

#include <optional>
#include <type_traits>

#include "perfdata/wire/feature/list.hpp"
#include "perfdata/wire/feature/strings.hpp"

namespace perfdata {
namespace detail {

using ListCount = std::optional<std::uint64_t>;

template <class Visit, class Reader, class Describe>
Result<void> describe_elements(Visit& visit, std::string_view name, ListCount count, Reader& reader,
                               Describe describe) {
    return visit.list(name, count, [&](auto&& elements) -> Result<void> {
        for (;;) {
            auto next = reader.next();
            if (!next) return fail(std::move(next).error());
            if (!*next) return {};
            auto done = elements.element([&](auto&& fields) -> Result<void> {
                if constexpr (std::is_void_v<decltype(describe(fields, **next))>) {
                    describe(fields, **next);
                    return {};
                } else {
                    return describe(fields, **next);
                }
            });
            if (!done) return done;
        }
    });
}

template <class Visit, class Element, class Describe>
Result<void> describe_table(Visit& visit, std::string_view name, FeatureList<Element> list, Describe describe) {
    if (!list.cursor().ok()) return fail(list.next().error());
    return describe_elements(visit, name, list.count(), list, describe);
}

template <class Reader, class Visit, class Describe>
Result<void> describe_counted(Cursor in, Visit& visit, std::string_view name, Describe describe) {
    Reader reader(in);
    const auto count = in.u32();
    if (!in.ok()) return in.failure("the count");
    return describe_elements(visit, name, count, reader, describe);
}

template <class Visit, class Element, class Describe>
Result<void> describe_array(Visit& visit, std::string_view name, const FeatureArray<Element>& array,
                            Describe describe) {
    return visit.list(name, ListCount(array.size()), [&](auto&& elements) -> Result<void> {
        for (std::size_t index = 0; index < array.size(); ++index) {
            auto done = elements.element([&](auto&& fields) -> Result<void> {
                describe(fields, array[index], index);
                return {};
            });
            if (!done) return done;
        }
        return {};
    });
}

template <class Visit, class Value>
Result<void> describe_values(Visit& visit, std::string_view name, std::size_t count, Value value) {
    return visit.list(name, ListCount(count), [&](auto&& elements) -> Result<void> {
        for (std::size_t index = 0; index < count; ++index) elements("", value(index));
        return {};
    });
}

// describe_strings visits a string list as a list; `count` as written there.
template <class Visit>
Result<void> describe_strings(Visit& visit, std::string_view name, ListCount count, FeatureStringList strings) {
    return visit.list(name, count, [&](auto&& elements) -> Result<void> {
        std::string_view text;
        while (strings.next(text)) elements("", text);
        if (!strings.ok()) return strings.cursor().failure("a list of texts");
        return {};
    });
}

template <class Visit>
Result<void> describe_string(Cursor in, Visit& visit, std::string_view name) {
    const auto text = read_feature_string(in);
    if (!in.ok()) return in.failure("the text");
    visit(name, text);
    return {};
}

}  // namespace detail
}  // namespace perfdata
