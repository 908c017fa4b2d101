// SPDX-License-Identifier: MIT
// Selects the fields of samples to write, like -F of perf script.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// ScriptFields is a set of fields.
enum ScriptField : std::uint32_t {
    field_comm = 1u << 0,
    field_tid = 1u << 1,
    field_pid = 1u << 2,
    field_time = 1u << 3,
    field_cpu = 1u << 4,
    field_event = 1u << 5,
    field_trace = 1u << 6,
    field_ip = 1u << 7,
    field_sym = 1u << 8,
    field_symoff = 1u << 9,
    field_dso = 1u << 10,
    field_addr = 1u << 11,
    field_period = 1u << 12,
    field_iregs = 1u << 13,
    field_uregs = 1u << 14,
    field_brstack = 1u << 15,
    field_data_src = 1u << 17,
    field_weight = 1u << 18,
    field_bpf_output = 1u << 19,
    field_phys_addr = 1u << 20,
    field_misc = 1u << 21,
    field_data_page_size = 1u << 22,
    field_code_page_size = 1u << 23,
};
using ScriptFields = std::uint32_t;

// FieldChoice is the selected fields by kind of event. It starts with perf's default.
class FieldChoice {
  public:
    FieldChoice();

    // choose("comm,time,ip"), choose("+addr,-period"), choose("trace:trace") do the same as -F; calls add up. Errors:
    // malformed.
    Result<void> choose(std::string_view text);

    // fit(recording) takes away the default fields that the recording does not have. Errors: missing, if a field was
    // asked for by name and samples of an event that passes the filter do not have it. Only where an event lacks a
    // field are the samples looked through.
    Result<void> fit(const Recording& recording, bool with_chains, const SampleFilter& filter = {});

    // of(attr) returns the fields of an event. Valid after fit().
    ScriptFields of(const Attr& attr) const { return kinds_[kind(attr.type)].fields; }

  private:
    struct Kind {
        ScriptFields fields = 0;
        ScriptFields asked_for = 0;  // by name
        bool chosen = false;         // no longer the default
    };
    static constexpr std::size_t kinds = 7;  // Attr::type up to 5, and all others
    static std::size_t kind(std::uint32_t type) { return type < kinds - 1 ? type : kinds - 1; }

    static void leave_out_defaults(Kind& kind, const Event& event);
    static ScriptFields lacking(const Kind& kind, const Event& event);

    std::array<Kind, kinds> kinds_;
};

}  // namespace perfdata
