// SPDX-License-Identifier: MIT
// Reads damaged recordings with the library, and keeps the table of what could be saved.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "damage/frames.hpp"

namespace perfdata::test {

// Fixture is a recording and what lies where in it.
struct Fixture {
    std::string name;
    Blob file;
    Frames frames;
};
// fixtures() is all recordings below fixtures/ that are one file, by name.
const std::vector<Fixture>& fixtures();

// everything() is whether PERFDATA_DAMAGE=full is in the environment. Tests that are run with every build cannot try
// everything: thinned(count, most) is the numbers below `count` if everything() is wanted or they are few, else `most`
// of them, evenly spread, first and last included.
bool everything();
std::vector<std::uint64_t> thinned(std::uint64_t count, std::uint64_t most);
// seed_of(test) is what makes the damage of a test: its own number, and other damage with PERFDATA_DAMAGE_SEED=1, 2...
std::uint64_t seed_of(std::uint64_t test);

// Samples is what the library counted in one file.
struct Samples {
    bool opened = false;
    std::uint64_t framed = 0;
    std::uint64_t decoded = 0;

    bool operator==(const Samples&) const = default;
};
// count_samples(file) also requires that the parts of the completeness report make up the whole.
Samples count_samples(Bytes file);

// Salvage is one kind of damage. Its row of the table is printed when it goes.
class Salvage {
  public:
    explicit Salvage(std::string damage);
    ~Salvage();
    Salvage(const Salvage&) = delete;
    Salvage& operator=(const Salvage&) = delete;

    // run(memory, body) requires that the body ends within ten seconds, however slow the machine is, and never holds
    // more than so many bytes.
    void run(std::size_t memory, const std::function<void()>& body);

    // check(file, expected, intact) reads a file and requires that the library frames what is expected. `intact` is how
    // many samples the damage has not touched, `most` how many there were.
    Samples check(Bytes file, const Expectation& expected, std::uint64_t intact, std::uint64_t most);

  private:
    std::string damage_;
    std::uint64_t runs_ = 0, intact_ = 0, saved_ = 0;
    std::chrono::nanoseconds slowest_{};
    std::size_t memory_ = 0;
};

}  // namespace perfdata::test
