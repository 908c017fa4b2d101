// SPDX-License-Identifier: MIT
// How quantities and foreign names are written, in text and in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/core/utf8.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/code.hpp"
#include "perfdata/timeline/code_filter.hpp"

namespace perfdata {

// hex(address) is "0xffffffffc0025c34".
std::string hex(Address address);
// hex_bytes(bytes) is "c0ffee".
std::string hex_bytes(Bytes bytes);
// seconds(time) is "475.468255123".
std::string seconds(Time time);
// wall_clock(nanoseconds) of nanoseconds since 1970 is "2026-11-20T10:11:12.123456789Z", in UTC.
std::string wall_clock(std::uint64_t nanoseconds);
// printable(text) is text that a terminal shows and does not obey: what is not is_shown(), and bytes that are no UTF-8,
// are written as \xNN.
std::string printable(std::string_view text);
// most_shown is how many bytes of a name, a path or a line of source text stand in one place of an output. One that is
// long and told again and again would make much of little.
inline constexpr std::size_t most_shown = 2048;
// Shortened is text, or of longer text its beginning and how many bytes were cut off. The text must outlive it.
class Shortened {
  public:
    explicit Shortened(std::string_view text) : text_(text) {
        if (text.size() > most_shown) shorten();
    }
    Shortened(const Shortened&) = delete;
    Shortened& operator=(const Shortened&) = delete;

    operator std::string_view() const { return text_; }

  private:
    void shorten();

    std::string_view text_;
    std::string own_;
};
// most_in_line is about how many bytes of a name, a path or source text stand in one line of a listing, counted as they
// are shown. A listing has a line for each byte of code, and the same text may stand in all of them.
inline constexpr std::size_t most_in_line = 512;
// InLine is text, or of longer text a part: the beginning and how many bytes were cut off, or "…/" and the end of a
// path. The text must outlive it.
class InLine {
  public:
    enum class Keep : std::uint8_t { beginning, end };

    explicit InLine(std::string_view text, Keep keep = Keep::beginning, std::size_t most = most_in_line);
    InLine(const InLine&) = delete;
    InLine& operator=(const InLine&) = delete;

    operator std::string_view() const { return text_; }

  private:
    std::string_view text_;
    std::string own_;
};
// BeforeText orders texts that mostly share their bytes: a long one that is met again is not compared again.
struct BeforeText {
    bool operator()(std::string_view one, std::string_view other) const {
        if (one.data() == other.data() && one.size() == other.size()) return false;
        return one < other;
    }
};
// shown(text) is printable(), shortened.
std::string shown(std::string_view text);
// cut(text, bytes) is at most so many bytes of well-formed text, cut between characters.
std::string cut(std::string text, std::size_t bytes);
// is_shown(character) is false for control characters, for marks that change how other text is shown, such as the
// direction of writing, and for what hides between letters.
bool is_shown(char32_t character);
// utf8(text) is text that JSON may hold: bytes that are no UTF-8 become U+FFFD.
std::string utf8(std::string_view text);

// kind_name(kind) is "bpf", "kernel", "user", "jit", "out_of_line", "unknown", as annotate's `--kind` takes it and its
// JSON gives it: modules are kernel code.
std::string_view kind_name(CodeClass kind);
std::string_view kind_name(CodeKind kind);
// program_type(type) is the BPF program type's name, or its number.
std::string program_type(std::uint32_t type);
// object_name(page, listing) is what the code belongs to: "[bpf:42]", "[kernel]".
std::string object_name(const Timeline& timeline, const Code& code);

// text_of(instruction) is "movq %rsp, %rbp".
std::string text_of(const Instruction& instruction);
// comm_text(comm, tid) is the command, ":TID" if it is not known.
std::string comm_text(std::string_view comm, Tid tid);
// short_name(object) is the last part of a path; other objects as they are.
std::string_view short_name(std::string_view object);

// signed_id(pid.value) is as perf writes it: ids of the kernel are signed, and -1 means no process.
constexpr std::int32_t signed_id(std::uint32_t id) {
    return static_cast<std::int32_t>(id);
}

// share(part, whole) is in percent; 0 of nothing.
double share(std::uint64_t part, std::uint64_t whole);

}  // namespace perfdata
