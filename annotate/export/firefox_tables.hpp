// SPDX-License-Identifier: MIT
// What a Firefox profile needs that an Exported does not have as such.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exported.hpp"
#include "format/words.hpp"

namespace perfdata {

// FirefoxStrings numbers texts: equal ones have the same number.
class FirefoxStrings {
  public:
    std::uint32_t number(std::string_view text);
    const std::vector<std::string_view>& texts() const { return texts_; }

  private:
    std::map<std::string, std::uint32_t> numbers_;  // a tree: log n each
    std::vector<std::string_view> texts_;           // in numbers_
};

// FirefoxLib is an object.
struct FirefoxLib {
    std::uint64_t base = 0;  // what its addresses are less; see address_in()
    std::string breakpad_id, code_id;
};

// FirefoxFrame is a place.
struct FirefoxFrame {
    std::uint32_t depth = 0;  // how many calls were inlined around it; at most 255, which is what there is room for
    std::optional<std::uint32_t> symbol;  // index in FirefoxTables::symbols
    std::uint32_t container = 0;          // index in Exported::places: the code itself
};

// FirefoxThread is a task's samples of one event.
struct FirefoxThread {
    std::uint32_t task = 0, column = 0;
    std::vector<std::size_t> samples;  // indices in Exported::samples
    bool main = false;                 // of its process; no other thread of that pid is
    std::uint32_t process = 0;         // the task whose command is the name of the process
};

// FirefoxTables is made once. It takes less memory than the Exported.
struct FirefoxTables {
    std::vector<FirefoxLib> libs;           // by object
    std::vector<FirefoxFrame> frames;       // by place
    std::vector<std::uint32_t> symbols;     // functions
    std::vector<std::string_view> sources;  // files
    std::vector<std::optional<std::uint32_t>> source_of_function;
    std::vector<FirefoxThread> threads;              // in the order of tasks and events
    std::optional<std::uint64_t> first_nanoseconds;  // of all samples; empty: no sample has a time
    std::uint64_t interval = 0;                      // nanoseconds between samples of one thread: their median

    explicit FirefoxTables(const Exported& exported);

    // Returns the address as the format has it; empty: it has no room for it.
    std::optional<std::uint64_t> address_in(std::uint32_t object, std::uint64_t address) const;

  private:
    void add_libs(const Exported& exported);
    void add_frames(const Exported& exported);
    void add_sources(const Exported& exported);
    void add_threads(const Exported& exported);
    void choose_main_threads(const Exported& exported);
    void find_times(const Exported& exported);
};

// breakpad_id(build_id, order) returns the GUID that Breakpad makes of a build id in hexadecimal, and its age 0.
std::string breakpad_id(std::string_view build_id, std::endian order);

}  // namespace perfdata
