// SPDX-License-Identifier: MIT
// Formats of tracepoints that print numbers at fixed places alone, as most do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"

#include "trace_program.hpp"
#include "trace_writer.hpp"

namespace perfdata {

// FlatPrint is "NR %ld (%lx, %lx)" with a program for each number. Its text has a bound that is known before a record
// is, so it takes its room once, and each piece is written without another question. With it, script of raw_syscalls
// takes 0.8 of the CPU time.
class FlatPrint {
  public:
    // can_print(directive) returns true for "%d", "%lx" and the like, without width, precision and flags.
    static bool can_print(const TraceDirective& directive);

    // These add pieces in order. Text must be printable.
    void add_text(std::string_view text);
    void add_number(const TraceProgram& program, const TraceDirective& directive);

    // most() returns how many bytes append() appends at most.
    std::size_t most() const { return size_ + numbers_.size() * most_digits; }
    void append(std::string& text, Bytes raw, AnyOrder order) const;

  private:
    static constexpr std::size_t most_digits = 22;  // of 64 bits in octal, or a sign and decimal digits

    // Number follows the literals up to `begin`.
    struct Number {
        TraceProgram program;
        std::size_t begin = 0;  // in literals_
        std::uint8_t bytes = 8;
        std::uint8_t base = 10;
        bool is_signed = false;
    };

    // put(at, from, to) appends literals. It reads and writes up to copy_step bytes more: most literals are short.
    static constexpr std::size_t copy_step = 16;
    static char* put(char* at, const char* from, const char* to);

    std::string literals_ = std::string(copy_step, '\0');  // all in a row, and as many zeros behind them
    std::size_t size_ = 0;                                 // without these
    std::vector<Number> numbers_;
};

}  // namespace perfdata
