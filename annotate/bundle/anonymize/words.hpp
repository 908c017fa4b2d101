// SPDX-License-Identifier: MIT
// The words that may stay in an anonymized recording: each is known to everybody, and a tool understands it.
#pragma once

#include <string_view>

#include "perfdata/wire/attr.hpp"

namespace perfdata {

// has_word(list, word): a list has one space before, between and behind its words.
constexpr bool has_word(std::string_view list, std::string_view word) {
    if (word.empty() || word.find(' ') != std::string_view::npos) return false;
    for (auto at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
        if (at != 0 && list[at - 1] == ' ' && list[at + word.size()] == ' ') return true;
    }
    return false;
}

// is_number(text): decimal or 0x and hexadecimal digits; at most 18 characters.
bool is_number(std::string_view text);
// is_digits(text): decimal digits, at least one.
bool is_digits(std::string_view text);
// is_id(text): decimal digits of a process, a thread or a CPU, 10 at most: longer ones are numbers of something else.
bool is_id(std::string_view text);
// is_cpu_list(text) is true for lists of CPUs: "0-3,8"; is_cpu_mask(text) for masks: "00000000,000000ff". Both are true
// for none.
bool is_cpu_list(std::string_view text);
bool is_cpu_mask(std::string_view text);

bool is_trace_system(std::string_view word);  // "sched", of the mainline kernel
bool is_trace_name(std::string_view word);    // "sched_switch", "sys_enter_openat"

// is_event_name(name, attr) returns true for names of events that tell nothing: made of words of perf and of CPUs'
// manuals, of numbers and of modifiers, or what perf would call an event with that attr. Numbers of more than 32 bits
// are those of the attr.
bool is_event_name(std::string_view name, const Attr& attr);

bool is_pmu(std::string_view name);            // "cpu", "uncore_imc_0"
bool is_capability(std::string_view name);     // of a PMU: "branches"
bool is_unit(std::string_view unit);           // of a counter: "Joules"
bool is_domain(std::string_view name);         // of the scheduler: "SMT"
bool is_cpu_vendor(std::string_view name);     // "GenuineIntel"
bool is_command(std::string_view comm);        // "swapper/3": of the idle threads, and perf's own
bool is_symbol(std::string_view name);         // "_text": to find out where the kernel lay
bool is_pseudo_module(std::string_view name);  // "bpf": in kallsyms, no module
bool is_pseudo_path(std::string_view path);    // "[heap]", "//anon": no file

}  // namespace perfdata
