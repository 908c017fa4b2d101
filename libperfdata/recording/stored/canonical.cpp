// SPDX-License-Identifier: MIT
#include "canonical.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

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

void PlainRules::combine(Version& into, const Version& other) {
    const bool both = !into.image.absent && !other.image.absent;
    into.differs = into.differs || other.differs || (both && into.image.bytes != other.image.bytes);
    if (other.image < into.image) into.image = other.image;
}

void PlainRules::combine(Lines& into, const Lines& other) {
    const auto rank = [](const Lines& lines) {
        return std::tuple(lines.failed, lines.starts.empty(), !lines.problem.empty());
    };
    const auto one = rank(into), another = rank(other);
    if (another < one || (another == one && other < into)) into = other;
}

namespace {

// These rows are there for themselves. Places too: which of several is kept when profiles are merged must not depend on
// whether chains through them are.
template <class Row>
inline constexpr bool is_root =
    std::is_same_v<Row, Source> || std::is_same_v<Row, Event> || std::is_same_v<Row, Function> ||
    std::is_same_v<Row, Version> || std::is_same_v<Row, Lines> || std::is_same_v<Row, Inlined> ||
    std::is_same_v<Row, Frame> || std::is_same_v<Row, Cell> || std::is_same_v<Row, Branch>;

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

// Several objects may have become one.
void fold(std::vector<ObjectSum>& sums) {
    std::ranges::sort(sums);
    std::vector<ObjectSum> kept;
    for (const auto& sum : sums) {
        if (!kept.empty() && kept.back().object == sum.object) {
            kept.back().stacks = add_up_to_most(kept.back().stacks, sum.stacks);
        } else {
            kept.push_back(sum);
        }
    }
    sums = std::move(kept);
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
    fold(model.facts.without_file);
    fold(model.facts.without_information);
    // Texts have their numbers now.
    std::ranges::sort(model.facts.partial);
    std::ranges::sort(model.facts.left_out);
    return model;
}

}  // namespace perfdata::stored
