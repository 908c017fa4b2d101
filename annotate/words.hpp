// SPDX-License-Identifier: MIT
// How quantities and foreign names are written, in text and in JSON.
#pragma once

#include <string>
#include <string_view>

#include "perfdata/annotate/page.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/names.hpp"
#include "perfdata/timeline/code.hpp"

namespace perfdata {

// hex(address) is "0xffffffffc0025c34".
std::string hex(Address address);
// hex_bytes(bytes) is "c0ffee".
std::string hex_bytes(Bytes bytes);
// seconds(time) is "475.468255123".
std::string seconds(Time time);
// wall_clock(nanoseconds) of nanoseconds since 1970 is "2026-11-20T10:11:12.123456789Z", in UTC.
std::string wall_clock(std::uint64_t nanoseconds);
// printable(text) is text that a terminal shows and does not obey: control characters, marks that change the
// direction of writing, and bytes that are no UTF-8 are written as \xNN.
std::string printable(std::string_view text);
// cut(text, bytes) is at most so many bytes of well-formed text, cut between characters.
std::string cut(std::string text, std::size_t bytes);
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
// short_name(object) is the last part of a path; other objects as they are.
std::string_view short_name(std::string_view object);

// share(part, whole) is in percent; 0 of nothing.
double share(std::uint64_t part, std::uint64_t whole);

}  // namespace perfdata
