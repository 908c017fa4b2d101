// SPDX-License-Identifier: MIT
#include "canonical.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/core/small_algorithms.hpp"

#include "unify.hpp"

namespace perfdata::stored {

void PlainRules::combine(Cell& into, const Cell& other) {
    into.hits = add_up_to_most(into.hits, other.hits);
    into.periods = add_up_to_most(into.periods, other.periods);
    into.order = std::min(into.order, other.order);
}

void PlainRules::combine(Branch& into, const Branch& other) {
    into.times = add_up_to_most(into.times, other.times);
}

namespace {

// These rows are there for themselves.
template <class Row>
inline constexpr bool is_root = std::is_same_v<Row, Source> || std::is_same_v<Row, Event> ||
                                std::is_same_v<Row, Function> || std::is_same_v<Row, Version> ||
                                std::is_same_v<Row, Lines> || std::is_same_v<Row, Cell> || std::is_same_v<Row, Branch>;

// Returns which rows are referred to, by rows that are. Rows come behind all that they refer to.
PerTable<std::vector<bool>> find_kept(Model& model) {
    PerTable<std::vector<bool>> kept;
    each_table(model, [&]<class Row>(const Table<Row>& table) { kept.of<Row>().assign(table.size(), is_root<Row>); });
    const auto mark = [&]<class Target>(const Ref<Target>& ref) { kept.of<Target>()[ref.number] = true; };
    each_ref(model.facts, mark);
    each_table_backwards(model, [&]<class Row>(const Table<Row>& table) {
        const auto& marks = kept.of<Row>();
        for (auto at = table.size(); at-- > 0;) {
            if (marks[at]) each_ref(table[at], mark);
        }
    });
    return kept;
}

}  // namespace

Model canonical(Model model) {
    // The first text is always there.
    if (std::ranges::none_of(model.texts, [](const Text& text) { return text.bytes.empty(); })) {
        model.texts.emplace_back();
    }
    auto kept = find_kept(model);
    for (std::size_t at = 0; at < model.texts.size(); ++at) {
        if (model.texts[at].bytes.empty()) kept.of<Text>()[at] = true;
    }
    Unifier<PlainRules>(model).run(&kept);
    return model;
}

}  // namespace perfdata::stored
