// SPDX-License-Identifier: MIT
// Writes SAMPLE records with all their variable parts. The order and layout of the parts follow the kernel's
// perf_output_sample, independently of the decoder's tables.
#pragma once

#include "perfdata/wire/sample.hpp"

#include "support/random.hpp"
#include "support/records.hpp"

namespace perfdata::test {

// SampleContent has a value for every part of a sample; the attr selects those that are written.
struct SampleContent {
    struct Counter {
        std::uint64_t value = 0, id = 0, lost = 0;
    };
    struct Registers {
        std::uint64_t abi = 0;
        std::vector<std::uint64_t> values;  // one per bit of the mask; none are written if abi is 0
    };

    SampleValues fixed;
    std::uint64_t time_enabled = 0, time_running = 0;
    std::vector<Counter> counters;  // exactly one if read_format has no GROUP
    std::vector<std::uint64_t> callchain;
    Blob raw;  // including padding: 4 bytes short of a multiple of 8
    std::vector<BranchEntry> branches;
    std::uint64_t hw_index = 0;
    // The kernel decides these per sample: an empty stack may lack hw_idx, counters may be absent.
    bool has_hw_index = false;
    bool has_branch_counters = false;
    std::vector<std::uint64_t> branch_counters;
    Registers user_registers, interrupt_registers;
    Blob stack;
    std::uint64_t stack_copied = 0;
    std::uint32_t weight_1 = 0;  // plain WEIGHT: its low half
    std::uint16_t weight_2 = 0, weight_3 = 0;
    std::uint64_t data_source = 0, transaction = 0, physical_address = 0, cgroup = 0, data_page = 0, code_page = 0;
    Blob aux;
};

// random_attr(random, sample_type) sets a random read_format, branch_sample_type and register masks. random_sample_type
// returns any subset of the 25 bits, but never both kinds of weight.
Attr random_attr(Random& random, std::uint64_t sample_type);
std::uint64_t random_sample_type(Random& random);

// random_content(random, attr) fits the attr and keeps the record below 64 KiB.
SampleContent random_content(Random& random, const Attr& attr);

Blob encode(std::endian order, const Attr& attr, const SampleContent& content, std::uint16_t misc = 0);

}  // namespace perfdata::test
