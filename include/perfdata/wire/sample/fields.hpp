// SPDX-License-Identifier: MIT
// The fields of a sample for generic code, as described in wire/record/fields.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/wire/sample.hpp"

namespace perfdata {

// AddressWords is a run of addresses, including the context markers of call chains.
template <class Order>
struct AddressWords {
    U64View<Order> words;  // live as long as the record
};

// sample_fields(sample, registers, visit) visits every field of the sample, in file order, by its name in struct
// perf_sample_data or perf. Besides FieldValues there are AddressWords. `registers` selects the register names of the
// recorded architecture.
template <class Order, class Visit>
void sample_fields(const BasicSample<Order>& sample, RegisterSet registers, Visit&& visit) {
    const auto optional = [&](std::string_view name, const auto& value) {
        if (value) visit(name, *value);
    };
    if (const auto id = sample.id()) visit("id", id->value);
    optional("ip", sample.ip());
    if (sample.ip()) visit("exact_ip", sample.exact_ip());
    if (const auto pid = sample.pid()) visit("pid", pid->value);
    if (const auto tid = sample.tid()) visit("tid", tid->value);
    optional("addr", sample.addr());
    optional("stream_id", sample.stream_id());
    optional("cpu", sample.cpu());
    visit("period", sample.period());

    const auto details = sample.details();
    if (const auto read = details.read()) {
        optional("time_enabled", read->time_enabled());
        optional("time_running", read->time_running());
        visit.list("read", read->size(), [&](std::size_t index, auto&& element) {
            const auto value = (*read)[index];
            element("value", value.value);
            if (value.id) element("id", value.id->value);
            if (value.lost) element("lost", *value.lost);
        });
    }
    if (const auto chain = details.callchain()) {
        visit("callchain", AddressWords<Order>{*chain});
    }
    optional("raw", details.raw());
    if (const auto stack = details.branch_stack()) {
        optional("branch_hw_idx", stack->hw_index());
        visit.list("branch_stack", stack->size(), [&](std::size_t index, auto&& element) {
            const auto entry = (*stack)[index];
            element("from", entry.from);
            element("to", entry.to);
            element("mispred", entry.mispredicted);
            element("predicted", entry.predicted);
            element("in_tx", entry.in_transaction);
            element("abort", entry.aborted);
            element("cycles", entry.cycles);
            if (const auto name = branch_type_name(entry.type); !name.empty()) element("type", name);
            element("spec", entry.speculation);
            if (const auto counters = stack->counters(index)) element("counters", *counters);
        });
    }
    const auto visit_registers = [&](std::string_view abi_name, std::string_view name, const auto& values) {
        if (!values) return;
        visit(abi_name, values->abi());
        visit.list(name, values->values().empty() ? 0 : 1, [&](std::size_t, auto&& element) {
            values->for_each([&](unsigned bit, std::uint64_t value) {
                const auto known = register_name(registers, bit);
                const auto number = "reg" + std::to_string(bit);
                element(known.empty() ? std::string_view(number) : known, Address{value});
            });
        });
    };
    visit_registers("regs_user_abi", "regs_user", details.user_registers());
    if (const auto stack = details.user_stack()) {
        visit("stack_user_size", stack->asked_for);
        visit("stack_user", stack->bytes);
    }
    if (const auto weight = details.weight()) {
        if (weight->is_struct) {
            visit("weight_var1", weight->first());
            visit("weight_var2", weight->second());
            visit("weight_var3", weight->third());
        } else {
            visit("weight", weight->word);
        }
    }
    if (const auto source = details.data_source()) {
        visit("data_src", source->word);
        const auto words = describe(*source);
        visit("data_src_text", std::string_view(words));
    }
    optional("transaction", details.transaction());
    visit_registers("regs_intr_abi", "regs_intr", details.interrupt_registers());
    optional("phys_addr", details.physical_address());
    optional("cgroup", details.cgroup());
    optional("data_page_size", details.data_page_size());
    optional("code_page_size", details.code_page_size());
    optional("aux", details.aux());
}

}  // namespace perfdata
