// SPDX-License-Identifier: MIT
// Compares the map with a model without trees: a linear search in the list of registrations.
#include <optional>
#include <random>

#include "perfdata/timeline/versioned_map_builder.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

struct MapRegistered {
    AddressRange range;
    Time from, until = Time::forever();
};

class MapModel {
  public:
    explicit MapModel(Overlap overlap) : overlap_(overlap) {}

    void add(Time at, AddressRange range) {
        for (auto& entry : entries_) {
            const bool ends = entry.range.begin == range.begin ||
                              (overlap_ == Overlap::ends && entry.range.begin.value <= range.last().value &&
                               range.begin.value <= entry.range.last().value);
            if (entry.until == Time::forever() && ends) entry.until = at;
        }
        entries_.push_back({range, at, Time::forever()});
    }
    bool remove(Time at, Address begin) {
        for (auto& entry : entries_) {
            if (entry.until != Time::forever() || entry.range.begin != begin) continue;
            entry.until = at;
            return true;
        }
        return false;
    }
    std::optional<std::size_t> find(Address address, Time time) const {
        std::optional<std::size_t> nearest;
        for (std::size_t index = 0; index < entries_.size(); ++index) {
            const auto& entry = entries_[index];
            if (time < entry.from || time >= entry.until || entry.range.begin > address) continue;
            if (!nearest || entry.range.begin > entries_[*nearest].range.begin) nearest = index;
        }
        if (nearest && entries_[*nearest].range.last() < address) nearest.reset();
        return nearest;
    }
    const std::vector<MapRegistered>& entries() const { return entries_; }

  private:
    Overlap overlap_;
    std::vector<MapRegistered> entries_;
};

struct MapShape {
    std::uint64_t base;   // of all addresses
    std::uint64_t slots;  // number of begins; few make reuse common
    std::uint64_t slot;   // distance between them
    std::uint64_t longest;
    unsigned ticks;  // time advances in one of so many changes
};

class Run {
  public:
    Run(Overlap overlap, MapShape shape, std::uint32_t seed)
        : shape_(shape), random_(seed), builder_(overlap), model_(overlap) {}

    void change() {
        if (below(shape_.ticks) == 0) now_.nanoseconds += 1 + below(3);
        const auto begin = address(0);
        if (below(3) == 0) {
            const bool removed = builder_.remove(now_, begin);
            if (removed != model_.remove(now_, begin)) ++differences_;
        } else {
            const AddressRange range{begin, 1 + below(shape_.longest)};
            const auto index = builder_.add(now_, range, static_cast<std::uint32_t>(model_.entries().size()));
            if (index != model_.entries().size()) ++differences_;
            model_.add(now_, range);
        }
    }

    void compare(int queries) {
        const auto map = std::move(builder_).build();
        REQUIRE(map.entries().size() == model_.entries().size());
        for (std::size_t index = 0; index < map.entries().size(); ++index) {
            const auto& entry = map.entries()[index];
            const auto& expected = model_.entries()[index];
            if (entry.range != expected.range || entry.from != expected.from || entry.until != expected.until ||
                entry.value != index) {
                ++differences_;
            }
        }
        for (int query = 0; query < queries; ++query) {
            const auto where = address(shape_.longest);
            const Time when{below(now_.nanoseconds + 3)};
            const auto* found = map.find(where, when);
            const auto expected = model_.find(where, when);
            hits_ += expected.has_value();
            if ((found != nullptr) != expected.has_value() || (found != nullptr && found->value != *expected)) {
                if (differences_++ == 0) {
                    UNSCOPED_INFO("first difference at " << where.value << ", time " << when.nanoseconds << ", model "
                                                         << (expected ? std::to_string(*expected) : "-"));
                }
            }
        }
        CHECK(differences_ == 0);
        // Queries that never hit, or always hit, would prove little.
        CHECK(hits_ > queries / 20);
        CHECK(hits_ < queries);
    }

  private:
    std::uint64_t below(std::uint64_t bound) {
        return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random_);
    }
    Address address(std::uint64_t spread) {
        return {shape_.base + shape_.slot * below(shape_.slots) + (spread == 0 ? 0 : below(spread))};
    }

    MapShape shape_;
    std::mt19937 random_;
    VersionedMap<std::uint32_t>::Builder builder_;
    MapModel model_;
    Time now_{1};
    int differences_ = 0, hits_ = 0;
};

}  // namespace

TEST_CASE("The map finds what a plain list of registrations finds", "[timeline][versioned_map][property]") {
    const auto overlap = GENERATE(Overlap::ends, Overlap::hides);
    const auto shape = GENERATE(MapShape{0xffffffffc0000000, 12, 16, 60, 2},      // few places, much reuse
                                MapShape{0xffffffffc0000000, 300, 64, 64, 4},     // side by side, adjacent at most
                                MapShape{0xffffffffc0000000, 300, 64, 4096, 40},  // large claims, many changes a time
                                MapShape{0, 2000, 1, 30, 1},                      // every byte may begin an entry
                                MapShape{~std::uint64_t{0} - 63, 4, 8, 40, 3},    // up to the last address
                                MapShape{100, 1, 1, 5, 2},                        // one begin only
                                MapShape{100, 2, 3, 9, 5});
    const auto seed = GENERATE(1u, 20u, 300u);
    INFO("seed " << seed << ", " << shape.slots << " slots of " << shape.slot);
    Run run(overlap, shape, seed);
    for (int change = 0; change < 1500; ++change) run.change();
    run.compare(3000);
}
