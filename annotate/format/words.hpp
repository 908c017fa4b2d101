// SPDX-License-Identifier: MIT
// The form of quantities and foreign names, in text and in JSON.
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

// hex(address) returns "0xffffffffc0025c34".
std::string hex(Address address);
// hex_bytes(bytes) returns "c0ffee".
std::string hex_bytes(Bytes bytes);
// seconds(time) returns "475.468255123".
std::string seconds(Time time);
// wall_clock(nanoseconds since 1970) returns "2026-11-20T10:11:12.123456789Z", in UTC.
std::string wall_clock(std::uint64_t nanoseconds);
// printable(text) makes text harmless for a terminal: characters that are not is_shown(), except tabs, and invalid
// UTF-8 become \xNN.
std::string printable(std::string_view text);
// most_shown is the most bytes of one name, path or line of source text per place in an output. It bounds output that
// repeats a long text.
inline constexpr std::size_t most_shown = 2048;
// Shortened is the text, or for longer text its beginning and the number of bytes cut off. The text must outlive it.
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
// most_in_line is about the most bytes of a name, path or source text per line of a listing, as shown. A listing may
// have a line for each byte of code, all with the same text.
inline constexpr std::size_t most_in_line = 512;
// InLine is the text, or a part of longer text: the beginning and the number of bytes cut off, or "…/" and the end of a
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
// BeforeText orders texts that mostly share their storage: the same view is not compared byte by byte.
struct BeforeText {
    bool operator()(std::string_view one, std::string_view other) const {
        if (one.data() == other.data() && one.size() == other.size()) return false;
        return one < other;
    }
};
// shown(text) returns printable() of the shortened text.
std::string shown(std::string_view text);
// cut(text, bytes) returns at most so many bytes of valid UTF-8, cut between characters.
std::string cut(std::string text, std::size_t bytes);
// is_shown(character) returns false for control characters, for marks that change how other text looks, such as its
// direction, and for characters that hide between letters.
bool is_shown(char32_t character);
// utf8(text) returns valid UTF-8 for JSON: invalid bytes become U+FFFD.
std::string utf8(std::string_view text);

// program_type(type) returns the BPF program type's name, or "type N".
std::string program_type(std::uint32_t type);
// object_name(timeline, code) returns the object of kernel or BPF code: "[bpf:42]", "[kernel]".
std::string object_name(const Timeline& timeline, const Code& code);

// text_of(instruction) returns "movq %rsp, %rbp".
std::string text_of(const Instruction& instruction);
// inlined_mark follows the names of functions that were inlined, as in perf; shortening a name must not cut it off.
inline constexpr std::string_view inlined_mark = " (inlined)";
// comm_text(comm, tid) returns the command, or ":TID" if it is empty.
std::string comm_text(std::string_view comm, Tid tid);
// short_name(object) returns the last part of a path, and other objects unchanged.
std::string_view short_name(std::string_view object);

// signed_id(pid.value) converts an id to perf's form: kernel ids are signed, and -1 means no process.
constexpr std::int32_t signed_id(std::uint32_t id) {
    return static_cast<std::int32_t>(id);
}

// append_address(address, text) appends "0x" and 16 digits. Most rows of some reports are addresses without a name:
// with this instead of fmt such a report takes 0.94 of the instructions.
void append_address(std::uint64_t address, std::string& text);

// how_many(count, word) returns "1 value", "2 values": for words that make their plural with s.
std::string how_many(std::uint64_t count, std::string_view word);

// share(part, whole) returns percent; 0 if whole is 0.
double share(std::uint64_t part, std::uint64_t whole);

}  // namespace perfdata
