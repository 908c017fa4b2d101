// SPDX-License-Identifier: MIT
// Reads damaged recordings with the library, and prints a table of what could be saved.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "damage/frames.hpp"

namespace perfdata::test {

// Fixture is a recording with its frames.
struct Fixture {
    std::string name;
    Blob file;
    Frames frames;
    std::string symfs;  // folder with the files that were mapped; empty: there is none
};
// fixtures() returns all single-file recordings below fixtures/, by name.
const std::vector<Fixture>& fixtures();

// everything() returns true if the environment has PERFDATA_DAMAGE=full. Regular test runs sample instead:
// thinned(count, most) returns all numbers below `count` if everything() or if they are few, else `most` of them,
// evenly spread, first and last included.
bool everything();
std::vector<std::uint64_t> thinned(std::uint64_t count, std::uint64_t most);
// seed_of(test) returns the seed for a test's damage, which PERFDATA_DAMAGE_SEED=1, 2... varies.
std::uint64_t seed_of(std::uint64_t test);

// Samples is the library's count for one file.
struct Samples {
    bool opened = false;
    std::uint64_t framed = 0;
    std::uint64_t decoded = 0;

    bool operator==(const Samples&) const = default;
};
// count_samples(file) also checks that the parts of the completeness report add up.
Samples count_samples(Bytes file);

// Salvage is one kind of damage. Its destructor prints its row of the table.
class Salvage {
  public:
    explicit Salvage(std::string damage);
    ~Salvage();
    Salvage(const Salvage&) = delete;
    Salvage& operator=(const Salvage&) = delete;

    // run(memory, body) requires that the body ends within ten seconds and never holds more than `memory` bytes.
    void run(std::size_t memory, const std::function<void()>& body);

    // check(file, expected, intact, most) reads a file and requires that the library frames what is expected. `intact`
    // is the number of samples that the damage has not touched, `most` the original number.
    Samples check(Bytes file, const Expectation& expected, std::uint64_t intact, std::uint64_t most);

  private:
    std::string damage_;
    std::uint64_t runs_ = 0, intact_ = 0, saved_ = 0;
    std::chrono::nanoseconds slowest_{};
    std::size_t memory_ = 0;
};

}  // namespace perfdata::test
