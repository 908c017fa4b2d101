// SPDX-License-Identifier: MIT
#include "script_fields.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <vector>

#include "perfdata/recording/walk.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

struct FieldName {
    std::string_view name;
    ScriptField field;
    std::uint64_t sample_bits;  // one of them must be recorded; 0: always available
};
constexpr FieldName field_names[] = {
    {"comm", field_comm, 0},
    {"tid", field_tid, sample_bit::tid},
    {"pid", field_pid, sample_bit::tid},
    {"time", field_time, sample_bit::time},
    {"cpu", field_cpu, sample_bit::cpu},
    {"event", field_event, 0},
    {"trace", field_trace, sample_bit::raw},
    {"ip", field_ip, sample_bit::ip},
    {"sym", field_sym, sample_bit::ip | sample_bit::addr},
    {"symoff", field_symoff, sample_bit::ip | sample_bit::addr},
    {"dso", field_dso, sample_bit::ip | sample_bit::addr},
    {"addr", field_addr, sample_bit::addr},
    {"period", field_period, 0},
    {"iregs", field_iregs, sample_bit::regs_intr},
    {"uregs", field_uregs, sample_bit::regs_user},
    {"brstack", field_brstack, sample_bit::branch_stack},
    {"data_src", field_data_src, sample_bit::data_src},
    {"weight", field_weight, sample_bit::weight | sample_bit::weight_struct},
    {"bpf-output", field_bpf_output, 0},
    {"phys_addr", field_phys_addr, sample_bit::phys_addr},
    {"misc", field_misc, 0},
    {"data_page_size", field_data_page_size, sample_bit::data_page_size},
    {"code_page_size", field_code_page_size, sample_bit::code_page_size},
};

constexpr std::string_view not_ours[] = {
    "srcline", "brstacksym", "flags",       "brstackinsn", "brstackinsnlen", "brstackoff", "callindent",
    "insn",    "insnlen",    "synth",       "metric",      "srccode",        "ipc",        "tod",
    "ins_lat", "retire_lat", "machine_pid", "vcpu",        "cgroup",         "dsoff",      "srcfile"};

// The kinds of events as -F names them before a colon.
struct KindName {
    std::string_view name;
    std::uint32_t type;
};
constexpr KindName kind_names[] = {{"hw", attr_type::hardware},
                                   {"sw", attr_type::software},
                                   {"trace", attr_type::tracepoint},
                                   {"raw", attr_type::raw},
                                   {"break", attr_type::breakpoint}};

constexpr ScriptFields symbols = field_ip | field_sym | field_symoff | field_dso;

constexpr ScriptFields default_fields(std::uint32_t type) {
    constexpr ScriptFields common = field_comm | field_tid | field_cpu | field_time | field_event;
    switch (type) {
        case attr_type::software: return common | symbols | field_period | field_bpf_output;
        case attr_type::tracepoint: return common | field_trace;
        case attr_type::raw:
            return common | symbols | field_period | field_addr | field_data_src | field_weight | field_phys_addr |
                   field_data_page_size | field_code_page_size;
        default: return common | symbols | field_period;
    }
}

constexpr ScriptFields impossible_fields(std::uint32_t type) {
    switch (type) {
        case attr_type::software: return field_trace;
        case attr_type::tracepoint: return 0;
        default: return field_trace | field_bpf_output;
    }
}

std::unexpected<Error> wrong(std::string detail) {
    return fail(ErrorCode::malformed, Error::no_offset, "--fields", std::move(detail));
}

std::unexpected<Error> unknown_field(std::string_view name) {
    if (std::ranges::find(not_ours, name) != std::end(not_ours)) {
        return wrong(fmt::format("the field {} of perf script is not supported here", name));
    }
    std::string known;
    for (const auto& field : field_names) known += (known.empty() ? "" : ",") + std::string(field.name);
    return wrong(fmt::format("no field {}; there are {}", printable(name), known));
}

// sampled_events(recording) returns for each event whether it has samples: one pass over all of them.
std::vector<bool> sampled_events(const Recording& recording) {
    std::vector<bool> sampled(recording.events().events().size());
    Completeness seen;
    // Without a stop token the walk fails only if memory runs out: then the next step fails as well.
    (void)walk(recording, seen, [&]<class Order>(const RecordContext& context, const BasicSample<Order>& sample) {
        sampled[context.event] = true;
        // Counts of a group count as samples of its members.
        const auto values = sample.details().read();
        if (!values) return;
        for (std::size_t index = 0; index < values->size(); ++index) {
            const auto id = (*values)[index].id;
            const auto member = id ? recording.events().find(id->value) : EventIndex();
            if (member) sampled[*member] = true;
        }
    });
    return sampled;
}

std::unexpected<Error> lacks(const Event& event, ScriptFields fields) {
    const auto* field =
        std::ranges::find_if(field_names, [&](const FieldName& name) { return (name.field & fields) != 0; });
    return fail(ErrorCode::missing, Error::no_offset, "--fields",
                fmt::format("samples of the event {} do not have the field {}", printable(event.name), field->name));
}

}  // namespace

FieldChoice::FieldChoice() {
    for (std::uint32_t type = 0; type < kinds; ++type) kinds_[type].fields = default_fields(type);
}

Result<void> FieldChoice::choose(std::string_view text) {
    std::optional<std::uint32_t> only;
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        const auto name = text.substr(0, colon);
        const auto* found = std::ranges::find(kind_names, name, &KindName::name);
        if (found == std::end(kind_names)) {
            return wrong(fmt::format("no kind of events {}; there are hw, sw, trace, raw and break", printable(name)));
        }
        only = found->type;
        text.remove_prefix(colon + 1);
    } else if (text.empty()) {
        return wrong("no fields for any kind of event");
    }
    const auto is_change = [](char first) { return first == '+' || first == '-'; };
    const bool changes = !text.empty() && is_change(text.front());
    const auto each_kind = [&](auto&& visit) {
        for (std::uint32_t type = 0; type < kinds; ++type) {
            if (!only || *only == type) visit(type, kinds_[type]);
        }
    };
    if (!changes) each_kind([](std::uint32_t, Kind& kind) { kind = {0, 0, true}; });
    while (!text.empty()) {
        auto name = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        if (name.empty()) continue;
        const char sign = name.front();
        if (is_change(sign) != changes) {
            return wrong(
                "fields with and without + or - cannot be mixed: either list all fields, or change perf's "
                "default list");
        }
        if (changes) name.remove_prefix(1);
        const auto* found = std::ranges::find(field_names, name, &FieldName::name);
        if (found == std::end(field_names)) return unknown_field(name);
        if (only && (impossible_fields(*only) & found->field) != 0) {
            return wrong(fmt::format("events of this kind have no field {}", name));
        }
        each_kind([&](std::uint32_t type, Kind& kind) {
            if ((impossible_fields(type) & found->field) != 0) return;
            kind.chosen = true;
            if (sign == '-') {
                kind.fields &= ~ScriptFields{found->field};
                kind.asked_for &= ~ScriptFields{found->field};
            } else {
                kind.fields |= found->field;
                kind.asked_for |= found->field;
            }
        });
    }
    return {};
}

Result<void> FieldChoice::fit(const Recording& recording, bool with_chains, const SampleFilter& filter) {
    const auto& events = recording.events().events();
    // Like perf, check only the first event of each kind.
    for (std::size_t index = 0; index < kinds; ++index) {
        const auto event = std::ranges::find_if(events, [&](const Event& e) { return kind(e.attr.type) == index; });
        if (event != events.end()) leave_out_defaults(kinds_[index], *event);
    }
    // Events without samples (such as perf's own "dummy") and unwanted events lack nothing. Each field is looked for by
    // itself: so fields that fit fit together.
    std::vector<bool> sampled;
    for (std::size_t index = 0; index < kinds; ++index) {
        auto open = kinds_[index].asked_for;  // fields that no event had so far
        for (std::uint32_t number = 0; number < events.size() && open != 0; ++number) {
            const auto& event = events[number];
            if (kind(event.attr.type) != index || !filter.has_event(number)) continue;
            const auto fields = lacking(kinds_[index], event) & open;
            if (fields != 0 && sampled.empty()) sampled = sampled_events(recording);
            if (fields != 0 && sampled[number]) return lacks(event, fields);
            open = fields;
        }
    }
    auto& traces = kinds_[attr_type::tracepoint];
    const bool traced_chains = std::ranges::any_of(events, [](const Event& event) {
        return event.attr.type == attr_type::tracepoint && event.attr.has(sample_bit::callchain);
    });
    if (with_chains && traced_chains && !traces.chosen) traces.fields |= symbols;
    return {};
}

void FieldChoice::leave_out_defaults(Kind& kind, const Event& event) {
    for (const auto& field : field_names) {
        if ((kind.asked_for & field.field) == 0 && field.sample_bits != 0 && !event.attr.has(field.sample_bits)) {
            kind.fields &= ~ScriptFields{field.field};
        }
    }
}

ScriptFields FieldChoice::lacking(const Kind& kind, const Event& event) {
    ScriptFields fields = 0;
    for (const auto& field : field_names) {
        if (field.sample_bits != 0 && !event.attr.has(field.sample_bits)) fields |= kind.asked_for & field.field;
    }
    return fields;
}

}  // namespace perfdata
