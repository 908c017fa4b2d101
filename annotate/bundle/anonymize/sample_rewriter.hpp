// SPDX-License-Identifier: MIT
// Samples without what may be secret, and events to match.
#pragma once

#include "perfdata/recording/event_table.hpp"

#include "bundle/anonymize/byte_writer.hpp"
#include "bundle/anonymize/code_addresses.hpp"
#include "bundle/anonymize/tally.hpp"

namespace perfdata {

// The fields of samples that stay; of tracepoints RAW, too: see SampleRewriter. What the others hold: copies of memory
// (RAW, STACK_USER, AUX), values that programs computed (REGS_*), the machine's physical memory (PHYS_ADDR).
inline constexpr std::uint64_t kept_sample_bits =
    sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::addr | sample_bit::read | sample_bit::callchain |
    sample_bit::id | sample_bit::cpu | sample_bit::period | sample_bit::stream_id | sample_bit::branch_stack |
    sample_bit::weight | sample_bit::data_src | sample_bit::identifier | sample_bit::transaction | sample_bit::cgroup |
    sample_bit::data_page_size | sample_bit::code_page_size | sample_bit::weight_struct;
// All fields that this version knows.
inline constexpr std::uint64_t known_sample_bits = (std::uint64_t{1} << 25) - 1;

// anonymous_attr(attr) returns the attr of the rewritten samples: without the fields that are left out, without flags
// that this version does not know, and without numbers that only the recorder's memory gives a meaning (addresses of
// the names of probes, data for signals).
Attr anonymous_attr(const Attr& attr);
// write_attr(attr, bytes, out) writes it in `bytes` bytes, 64 to Attr::known_bytes, and says so in it.
void write_attr(const Attr& attr, std::size_t bytes, ByteWriter& out);

// ChainKind is where a call chain is from. deferred: a sample whose event has the program's part follow later; the last
// word may be the number by which it is found. rest: that part.
enum class ChainKind : std::uint8_t { whole, deferred, rest };

// write_chain(words, ip, kind, places, out) writes the addresses of a call chain, and returns how many words it
// replaced by zero, because no code is there. `ip`: the sample's own address; 0: it has none.
std::uint64_t write_chain(Bytes words, std::uint64_t ip, ChainKind kind, const CodeAddresses& places, ByteWriter& out);

// SampleRewriter writes SAMPLE records of the events of a recording as anonymous_attr() describes them. Samples of
// tracepoints get a payload of the fields that all tracepoints have, the number of the event and the thread, which
// stand elsewhere, too: perf report ends with a segmentation fault where there is none.
class SampleRewriter {
  public:
    // All must outlive this.
    SampleRewriter(const EventTable& events, const CodeAddresses& places, Tally& tally)
        : events_(events), places_(places), tally_(tally) {}

    // rewrite(record, out) appends the new record. False, and nothing, if the sample is damaged or of no event, or its
    // copy would be of another one, as may be where events keep their ids at different places.
    bool rewrite(const RecordView& record, ByteWriter& out);

  private:
    void part(SamplePart part, Bytes content, const SampleShape& shape, SampleShape::Reading reading, std::uint64_t ip,
              ChainKind chain, ByteWriter& out);
    void payload(const RecordView& record, const Event& event, std::uint64_t size, ByteWriter& out);

    const EventTable& events_;
    const CodeAddresses& places_;
    Tally& tally_;
};

}  // namespace perfdata
