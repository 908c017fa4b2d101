// SPDX-License-Identifier: MIT
#include "perfdata/core/shared.hpp"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"

using namespace perfdata;

namespace {

// Counts how many of its kind live.
struct CountedObject {
    explicit CountedObject(int& living) : living_(&living) { ++*living_; }
    CountedObject(const CountedObject&) = delete;
    CountedObject& operator=(const CountedObject&) = delete;
    virtual ~CountedObject() { --*living_; }

  private:
    int* living_;
};
struct Derived final : CountedObject {
    explicit Derived(int& living) : CountedObject(living) {}
    std::string name = "derived";
};

}  // namespace

TEST_CASE("The last owner destroys what is shared", "[core][shared]") {
    int living = 0;
    {
        const auto first = Shared<const CountedObject>::make(living);
        CHECK(living == 1);
        Shared<const CountedObject> second = first;
        auto third = std::move(second);
        CHECK_FALSE(second);
        CHECK(second == nullptr);
        CHECK(third == first);
        CHECK(third.get() == first.get());
        const auto& same = third;
        third = same;
        CHECK(living == 1);
        third = {};
        CHECK_FALSE(third);
        CHECK(living == 1);
    }
    CHECK(living == 0);
}

TEST_CASE("What is owned elsewhere can be shared, as its base, too", "[core][shared]") {
    int living = 0;
    const auto standard = std::make_shared<const Derived>(living);
    {
        const Shared<const CountedObject> shared = standard;
        CHECK(shared.get() == standard.get());
        CHECK(standard.use_count() == 2);
        const auto copy = shared;
        CHECK(standard.use_count() == 2);
    }
    CHECK(standard.use_count() == 1);
    {
        const Shared<const Derived> unique = std::make_unique<const Derived>(living);
        CHECK(unique->name == "derived");
        CHECK((*unique).name == "derived");
        CHECK(living == 2);
    }
    CHECK(living == 1);
    CHECK_FALSE(Shared<const CountedObject>());
    CHECK_FALSE(Shared<const CountedObject>(nullptr));
    CHECK_FALSE(Shared<const CountedObject>(std::shared_ptr<const Derived>()));
}

TEST_CASE("A shared object survives the threads that share it", "[core][shared]") {
    int living = 0;
    {
        auto shared = Shared<const Derived>::make(living);
        std::vector<std::jthread> threads;
        threads.reserve(4);
        for (int number = 0; number < 4; ++number) {
            threads.emplace_back([mine = shared] {
                for (int turn = 0; turn < 10'000; ++turn) {
                    auto copy = mine;
                    const auto other = std::move(copy);
                }
            });
        }
        shared = nullptr;
    }
    CHECK(living == 0);
}
