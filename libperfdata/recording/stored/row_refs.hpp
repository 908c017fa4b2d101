// SPDX-License-Identifier: MIT
// Finds all references in a row, however deep they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model.hpp"

namespace perfdata::stored {

// is_nested<Member>: a row within a row, which has visit() itself.
template <class Member>
concept Nested = requires(Member& member) {
    std::remove_const_t<Member>::visit(member, [](auto&&...) {});
};

template <class Member>
struct IsRef : std::false_type {};
template <class Row>
struct IsRef<Ref<Row>> : std::true_type {
    using Target = Row;
};
template <class Member>
struct IsList : std::false_type {};
template <class Item>
struct IsList<std::vector<Item>> : std::true_type {};
template <class Member>
struct IsChoice : std::false_type {};
template <std::uint8_t Count>
struct IsChoice<Choice<Count>> : std::true_type {};

// each_ref(row, take) calls take(ref) for each reference in the row that is not nothing.
template <class Member, class Take>
void each_ref(Member& member, Take&& take) {
    using Plain = std::remove_const_t<Member>;
    if constexpr (IsRef<Plain>::value) {
        if (member) take(member);
    } else if constexpr (IsList<Plain>::value) {
        using Item = typename Plain::value_type;
        if constexpr (IsRef<Item>::value || Nested<Item>) {
            for (auto& item : member) each_ref(item, take);
        }
    } else if constexpr (Nested<Plain>) {
        Plain::visit(member, [&](auto&... members) { (each_ref(members, take), ...); });
    }
}

// PerTable has a Value for each table of a model, found by the type of its rows.
template <class Row, class Value>
struct Slot {
    Value value{};
};
template <class Value, class Tables>
struct SlotsOf;
template <class Value, class... Row>
struct SlotsOf<Value, std::tuple<Table<Row>&...>> {
    using Type = std::tuple<Slot<Row, Value>...>;
};
template <class Value>
class PerTable {
  public:
    template <class Row>
    Value& of() {
        return std::get<Slot<Row, Value>>(slots_).value;
    }
    template <class Row>
    const Value& of() const {
        return std::get<Slot<Row, Value>>(slots_).value;
    }

  private:
    typename SlotsOf<Value, decltype(std::declval<Model&>().tables())>::Type slots_;
};

// each_table(model, take) calls take(table) for each table, in their order.
template <class SomeModel, class Take>
void each_table(SomeModel& model, Take&& take) {
    std::apply([&](auto&... table) { (take(table), ...); }, model.tables());
}
template <class SomeModel, class Take>
void each_table_backwards(SomeModel& model, Take&& take) {
    constexpr auto count = std::tuple_size_v<decltype(model.tables())>;
    const auto tables = model.tables();
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        (take(std::get<count - 1 - at>(tables)), ...);
    }
    (std::make_index_sequence<count>());
}

// In these tables a row refers to earlier ones of the same table.
template <class Row>
inline constexpr bool is_tree = std::is_same_v<Row, Call> || std::is_same_v<Row, Node>;
inline Ref<Call>& above(Call& call) {
    return call.outer;
}
inline Ref<Node>& above(Node& node) {
    return node.caller;
}
inline Ref<Call> above(const Call& call) {
    return call.outer;
}
inline Ref<Node> above(const Node& node) {
    return node.caller;
}

}  // namespace perfdata::stored
