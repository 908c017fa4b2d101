// SPDX-License-Identifier: MIT
// Matches regular expressions without going back, and without keeping states.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "name_bits.hpp"

namespace perfdata {

// NameMatcher is an extended regular expression of POSIX with GNU's additions (\w, \<, \b, ...), as steps:
//
//     a(b|c)*$     0 set a   1 split 2 6   2 split 3 5   3 set b   4 jump +2   5 set c   6 ...
//
// It goes through a name once, and holds for each byte the steps that may come next: as bits, 64 of which move at once,
// or as a list if the pattern looks for edges of words. So a byte takes time in proportion to the steps, whatever the
// names are. libc makes a new state of all these steps instead, which takes ten times as long as a list where names are
// made so that no state comes twice. Characters are bytes: the locale does not matter.
class NameMatcher {
  public:
    // The pattern is one that regcomp(3) takes, without back-references. Written out, repetitions have to be few.
    explicit NameMatcher(std::string_view pattern);

    // Returns true if it matches anywhere in the name. Without `whole` the name goes on behind its end.
    bool matches(std::string_view name, bool whole);

  private:
    enum class Kind : std::uint8_t {
        set,    // takes a byte of a set
        split,  // goes on at both places
        jump,
        begin,  // of the name
        end,    // of the name
        last,   // of what is seen of the name
        word_begin,
        word_end,
        word_edge,
        no_word_edge,
        match
    };
    // Places are relative, so that a repeated part can be copied.
    struct Step {
        Kind kind = Kind::match;
        std::int32_t to = 0, or_to = 0;
        std::uint32_t set = 0;
    };
    using Set = std::bitset<256>;
    using Steps = std::vector<Step>;
    class Parser;

    // Steps that may come next, each once.
    struct Next {
        std::vector<std::uint32_t> steps, places;  // places: of a step in `steps`, if it is there
        bool add(std::uint32_t step);
    };
    struct Around {
        bool first, last, whole;  // what is before and behind: nothing
        bool word_before, word_behind;
    };
    static bool holds(Kind kind, const Around& around);
    // Adds a step and what follows without taking a byte. Returns true if that ends the pattern.
    bool add(std::uint32_t step, const Around& around, Next& next);
    void make_bits();

    std::vector<Set> sets_;  // before the steps, which are made with it
    Steps steps_;
    Set first_;           // bytes at which a match may begin
    bool empty_ = false;  // it may match no byte at all
    Next now_, next_;
    std::vector<std::uint32_t> open_;  // of add()
    std::optional<NameBits> bits_;     // nothing: the pattern looks for edges of words
};

}  // namespace perfdata
