// SPDX-License-Identifier: MIT
// The laws of merging, on random profiles: no order matters, sums are sums, and what comes out is a sound profile.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/source.hpp"

#include "catch.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/merge.hpp"
#include "recording/stored/profile_file.hpp"
#include "support/stored_model.hpp"

using namespace perfdata;
using namespace perfdata::test;
using stored::Dimension;
using stored::Model;

namespace {

Model merged(std::vector<Model> models, bool allow_duplicates = false) {
    std::vector<stored::Named> named;
    for (auto& model : models) named.push_back({"profile " + std::to_string(named.size()), std::move(model)});
    auto result = stored::merge(std::move(named), {.allow_duplicates = allow_duplicates, .stop = {}});
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    return std::move(*result);
}

// Sums of hits and periods by the name of the event.
std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> sums(const std::vector<const Model*>& models) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto* model : models) {
        for (const auto& cell : model->cells) {
            auto& [hits, periods] = all[std::string(model->text(model->at(cell.event).name))];
            hits += cell.hits;
            periods += cell.periods;
        }
    }
    return all;
}

void check_sound(const Model& model) {
    const auto bytes = written(model);
    const auto read = stored::read_profile(*memory_source(std::as_bytes(std::span(bytes))), "merged", {});
    INFO((read ? "" : read.error().message()));
    REQUIRE(read);
    CHECK(*read == model);
    CHECK((stored::canonical(model) == model));
}

// Some dimensions of a random seed.
std::uint32_t some_dimensions(std::uint32_t seed) {
    return (seed * 2654435761u >> 7 | bit(Dimension::comm)) & stored::all_dimensions;
}

}  // namespace

TEST_CASE("Profiles merge to the same bytes in any order", "[recording][stored][merge]") {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        INFO("seed " << seed);
        std::array<Model, 3> models{random_model(3 * seed), random_model(3 * seed + 1), random_model(3 * seed + 2)};
        const auto whole = merged({models[0], models[1], models[2]});
        const auto bytes = written(whole);
        check_sound(whole);
        CHECK(sums({&whole}) == sums({&models[0], &models[1], &models[2]}));
        std::array<std::size_t, 3> order{0, 1, 2};
        do {
            const auto &a = models[order[0]], &b = models[order[1]], &c = models[order[2]];
            CHECK((written(merged({a, b, c})) == bytes));
            CHECK((written(merged({merged({a, b}), c})) == bytes));
            CHECK((written(merged({a, merged({b, c})})) == bytes));
        } while (std::ranges::next_permutation(order).found);
    }
}

TEST_CASE("Profiles that lack different dimensions merge in any order", "[recording][stored][merge]") {
    for (std::uint32_t seed = 0; seed < 24; ++seed) {
        INFO("seed " << seed);
        std::vector<Model> models;
        for (std::uint32_t at = 0; at < 3; ++at) {
            const auto kept = some_dimensions(3 * seed + at) | bit(Dimension::symbol);
            models.push_back(stored::keep_only(random_model(3 * seed + at), kept));
            CHECK((models.back().facts.keeps & ~kept) == 0);
            check_sound(models.back());
        }
        const auto &a = models[0], &b = models[1], &c = models[2];
        const auto whole = merged({a, b, c});
        CHECK(whole.facts.keeps == (a.facts.keeps & b.facts.keeps & c.facts.keeps));
        CHECK(sums({&whole}) == sums({&a, &b, &c}));
        check_sound(whole);
        const auto bytes = written(whole);
        CHECK((written(merged({merged({a, b}), c})) == bytes));
        CHECK((written(merged({merged({c, a}), b})) == bytes));
        CHECK((written(merged({merged({c, b}), a})) == bytes));
    }
}

TEST_CASE("Profiles without symbols merge in any order", "[recording][stored][merge]") {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        INFO("seed " << seed);
        std::vector<Model> models;
        for (std::uint32_t at = 0; at < 3; ++at) {
            const auto kept = some_dimensions(3 * seed + at) & ~bit(Dimension::symbol);
            models.push_back(stored::keep_only(random_model(3 * seed + at), kept | bit(Dimension::object)));
        }
        const auto &a = models[0], &b = models[1], &c = models[2];
        const auto bytes = written(merged({a, b, c}));
        CHECK((written(merged({merged({a, b}), c})) == bytes));
        CHECK((written(merged({merged({c, a}), b})) == bytes));
        CHECK((written(merged({b, merged({a, c})})) == bytes));
    }
}

TEST_CASE("Four profiles merge in pairs", "[recording][stored][merge]") {
    for (std::uint32_t seed = 100; seed < 110; ++seed) {
        INFO("seed " << seed);
        const auto a = random_model(seed), b = random_model(seed + 50), c = random_model(seed + 100),
                   d = random_model(seed + 150);
        CHECK((merged({merged({a, b}), merged({c, d})}) == merged({d, c, b, a})));
    }
}

TEST_CASE("One profile alone stays as it is", "[recording][stored][merge]") {
    const auto model = random_model(5);
    CHECK((merged({model}) == model));
    const auto two = merged({model, random_model(6)});
    CHECK((merged({two}) == two));
}

TEST_CASE("The same recording twice counts twice, if that is allowed", "[recording][stored][merge]") {
    const auto model = random_model(7), other = random_model(8);
    const auto twice = merged({model, model}, true);
    CHECK(sums({&twice}) == sums({&model, &model}));
    REQUIRE(twice.sources.size() == 1);
    CHECK(twice.sources[0].times == 2);
    CHECK((merged({merged({model, other}), model}, true) == merged({model, model, other}, true)));
}

TEST_CASE("A profile merges with a smaller one of itself in any order", "[recording][stored][merge]") {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        const auto model = random_model(seed);
        const auto less = stored::keep_only(model, some_dimensions(seed) | bit(Dimension::symbol));
        const auto whole = merged({less, model, model}, true);
        CHECK((merged({merged({model, model}, true), less}, true) == whole));
        CHECK((merged({merged({model, less}, true), model}, true) == whole));
    }
}

TEST_CASE("What is left out of a sum is left out of what is added up", "[recording][stored][merge]") {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        const auto a = random_model(2 * seed), b = random_model(2 * seed + 1);
        const auto kept = some_dimensions(seed);
        const auto before = merged({stored::keep_only(a, kept), stored::keep_only(b, kept)});
        const auto after = stored::keep_only(merged({a, b}), kept);
        check_sound(after);
        CHECK((written(after) == written(before)));
        // Dimension by dimension, too.
        const auto more = some_dimensions(seed + 1000);
        CHECK((stored::keep_only(after, more) ==
               merged({stored::keep_only(a, kept & more), stored::keep_only(b, kept & more)})));
    }
}

TEST_CASE("Leaving out dimensions one after the other is the same as at once", "[recording][stored]") {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        const auto model = random_model(seed);
        CHECK((stored::keep_only(model, stored::all_dimensions) == model));
        const auto one = some_dimensions(seed), other = some_dimensions(seed + 1000);
        CHECK((stored::keep_only(stored::keep_only(model, one), other) == stored::keep_only(model, one & other)));
    }
}
