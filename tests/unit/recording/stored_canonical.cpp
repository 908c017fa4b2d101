// SPDX-License-Identifier: MIT
// The one order of a model, whatever the order in which it was made.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/row_refs.hpp"
#include "support/stored_model.hpp"

using namespace perfdata;
using namespace perfdata::test;
using stored::Model;
using stored::Ref;

namespace {

// Returns the same model with its rows in another order. Rows of trees stay behind those that they refer to.
Model shuffled(Model model, std::uint32_t seed) {
    std::mt19937 random(seed);
    stored::PerTable<std::vector<std::uint32_t>> numbers;
    stored::each_table(model, [&]<class Row>(stored::Table<Row>& table) {
        std::vector<std::uint32_t> order(table.size());
        std::iota(order.begin(), order.end(), 0u);
        if constexpr (!stored::is_tree<Row>) {
            for (auto at = order.size(); at > 1; --at) std::swap(order[at - 1], order[random() % at]);
        }
        auto& number = numbers.of<Row>();
        number.resize(table.size());
        stored::Table<Row> moved;
        for (const auto at : order) {
            number[at] = static_cast<std::uint32_t>(moved.size());
            moved.push_back(table[at]);
        }
        table = std::move(moved);
    });
    const auto renumber = [&](auto& row) {
        stored::each_ref(row, [&]<class Row>(Ref<Row>& ref) { ref = Ref<Row>(numbers.of<Row>()[ref.number]); });
    };
    stored::each_table(model, [&](auto& table) {
        for (auto& row : table) renumber(row);
    });
    renumber(model.facts);
    return model;
}

}  // namespace

TEST_CASE("A model has one order, however it was made", "[recording][stored]") {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        INFO("seed " << seed);
        const auto model = random_model(seed);
        CHECK((stored::canonical(model) == model));
        CHECK((stored::canonical(shuffled(model, seed)) == model));
    }
}

TEST_CASE("Rows that say the same become one", "[recording][stored]") {
    StoredModel made("1");
    const auto event = made.event("cycles", 0);
    const auto function = made.function(made.file("/bin/a", "build"), 0x10, "f", "code");
    for (int time = 0; time < 2; ++time) {
        const auto node = made.node(made.frame(function, 4), made.node(made.frame(function, 8)));
        made.cell(made.task("a", 1), node, event, 5);
    }
    made.model.branches.push_back({made.task("a", 1), event, Ref<stored::Frame>(std::size_t{0}),
                                   Ref<stored::Frame>(std::size_t{1}), false, false, 2});
    made.model.branches.push_back(made.model.branches.back());
    const auto model = std::move(made).finish();
    CHECK(model.frames.size() == 2);
    CHECK(model.nodes.size() == 2);
    CHECK(model.tasks.size() == 1);
    REQUIRE(model.cells.size() == 1);
    CHECK(model.cells[0].hits == 10);
    CHECK(model.cells[0].periods == 10000);
    CHECK(model.cells[0].order == 0);  // that of the first
    REQUIRE(model.branches.size() == 1);
    CHECK(model.branches[0].times == 4);
}

TEST_CASE("Sums in a model do not wrap", "[recording][stored]") {
    StoredModel made("1");
    const auto event = made.event("cycles", 0);
    const auto node = made.node(made.frame(made.function(made.file("/bin/a", {}), 0, "f", "code"), 0));
    for (int time = 0; time < 2; ++time) {
        made.cell(made.task("a", 1), node, event, 1);
        made.model.cells.back().hits = made.model.cells.back().periods = ~std::uint64_t{0} - 5;
    }
    const auto model = std::move(made).finish();
    REQUIRE(model.cells.size() == 1);
    CHECK(model.cells[0].hits == ~std::uint64_t{0});
    CHECK(model.cells[0].periods == ~std::uint64_t{0});
}

TEST_CASE("Rows that nothing refers to are left out", "[recording][stored]") {
    StoredModel made("1");
    made.text("nobody says this");
    made.file("/bin/unused", "build");
    const auto used = made.function(made.file("/bin/used", "build"), 0x10, "f", "code");
    const auto frame = made.frame(used, 1);
    made.frame(used, 2);
    made.node(made.frame(used, 3));
    made.cell(made.task("a", 1), made.node(frame), made.event("cycles", 0), 1);
    made.event("never", 1);
    const auto model = std::move(made).finish();
    CHECK(model.objects.size() == 1);
    CHECK(model.nodes.size() == 1);
    CHECK(model.events.size() == 2);  // these are there for themselves
    CHECK(model.frames.size() == 3);
    const auto says = [&](std::string_view text) {
        return std::ranges::count(model.texts, text, &stored::Text::bytes);
    };
    CHECK(says("nobody says this") == 0);
    CHECK(says("/bin/unused") == 0);
    CHECK(says("/bin/used") == 1);
    CHECK(says("") == 1);
}

TEST_CASE("What is not kept is gone", "[recording][stored]") {
    using stored::Dimension;
    const auto without = [](Dimension dimension) {
        return stored::keep_only(random_model(11), stored::all_dimensions & ~bit(dimension));
    };
    const auto texts_of = [](const Model& model) {
        std::string all;
        for (const auto& text : model.texts) all += text.bytes + "\n";
        return all;
    };
    const auto hits = [](const Model& model) {
        std::uint64_t sum = 0;
        for (const auto& cell : model.cells) sum += cell.hits;
        return sum;
    };
    const auto whole = random_model(11);
    for (std::size_t at = 0; at < stored::dimension_count; ++at) {
        const auto model = without(static_cast<Dimension>(at));
        INFO("dimension " << at);
        CHECK_FALSE(model.keeps(static_cast<Dimension>(at)));
        CHECK(hits(model) == hits(whole));
    }
    const auto no_comm = without(Dimension::comm);
    CHECK_FALSE(texts_of(no_comm).contains("comm0"));
    CHECK(texts_of(whole).contains("comm0"));
    for (const auto& task : without(Dimension::pid).tasks) CHECK(task.pid == 0);
    for (const auto& task : without(Dimension::tid).tasks) CHECK((task.tid == 0 || !task.comm));
    for (const auto& task : without(Dimension::cpu).tasks) CHECK((task.cpu == ~std::uint32_t{0} || task.further));
    CHECK(without(Dimension::cgroup).cgroups.empty());
    CHECK_FALSE(texts_of(without(Dimension::object)).contains("/usr/bin"));
    const auto no_symbol = without(Dimension::symbol);
    CHECK(no_symbol.functions.empty());
    CHECK(no_symbol.lines.empty());
    CHECK_FALSE(texts_of(no_symbol).contains("function"));
    CHECK_FALSE(no_symbol.keeps(Dimension::code));
    CHECK(without(Dimension::line).lines.empty());
    for (const auto& node : without(Dimension::chains).nodes) CHECK_FALSE(node.caller);
    for (const auto& version : without(Dimension::code).versions) {
        REQUIRE(version.image.absent);
        CHECK(version.image.problems.size() == 1);
    }
}
