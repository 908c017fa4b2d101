// SPDX-License-Identifier: MIT
// A sample profile as LLVM has it: functions, lines in them, and the same for what was inlined.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/symbols/compiled_line.hpp"

namespace perfdata {

// AutofdoLocation is a line from the declaration of its function, and what tells code of one line apart.
struct AutofdoLocation {
    std::uint32_t line = 0, discriminator = 0;

    auto operator<=>(const AutofdoLocation&) const = default;
};

// Returns the location of a line as compilers compute it: 16 bits, and the base part of LLVM's discriminator.
AutofdoLocation autofdo_location(std::uint32_t line, const CompiledFunction& function, std::uint32_t discriminator);
// Returns how often the compiler duplicated the code (by unrolling), as the discriminator says. At least 1.
std::uint32_t autofdo_duplicates(std::uint32_t discriminator);
// Returns the name without what compilers add to it: ".llvm.HASH", ".part.NUMBER", ".cold".
std::string_view autofdo_name(std::string_view symbol);

// AutofdoProfile adds up counts. Names must outlive it.
class AutofdoProfile {
  public:
    // Function is an index: a function, or one that was inlined at some place.
    using Function = std::uint32_t;

    // Returns the function of that name, which is added if it is new.
    Function top(std::string_view name);
    // Returns what was inlined there.
    Function inlined(Function caller, AutofdoLocation at, std::string_view name);

    // The greatest count of a location counts, or the sum.
    void greatest(Function function, AutofdoLocation at, std::uint64_t count);
    void sum(Function function, AutofdoLocation at, std::uint64_t count);
    // Adds to the total of the function and of all that it was inlined into.
    void total(Function function, std::uint64_t count);
    void call(Function function, AutofdoLocation at, std::string_view callee, std::uint64_t count);
    void head(Function function, std::uint64_t count);

    // Writes the text: functions with the greatest total first, then by name. Returns how many names the format cannot
    // hold; they and what was inlined there are left out.
    std::uint64_t write(const Sink& sink) const;

  private:
    static constexpr Function none = ~Function{0};

    struct Line {
        std::uint64_t count = 0;
        std::map<std::string_view, std::uint64_t> calls;
    };
    struct Node {
        std::string_view name;
        Function caller = none;
        std::uint64_t total = 0, head = 0;
        std::map<AutofdoLocation, Line> lines{};
        std::map<std::pair<AutofdoLocation, std::string_view>, Function> inlined{};
    };

    // Trees: log n each, whatever a file chooses.
    std::map<std::string_view, Function> tops_;
    std::vector<Node> nodes_;
};

}  // namespace perfdata
