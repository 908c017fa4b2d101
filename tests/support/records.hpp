// SPDX-License-Identifier: MIT
// Writes records like the kernel and perf, in either byte order. Contents are the decoder's own structs, but the layout
// is written independently here.
#pragma once

#include "perfdata/wire/record/bpf_event.hpp"
#include "perfdata/wire/record/comm.hpp"
#include "perfdata/wire/record/ksymbol.hpp"
#include "perfdata/wire/record/lost.hpp"
#include "perfdata/wire/record/lost_samples.hpp"
#include "perfdata/wire/record/mmap.hpp"
#include "perfdata/wire/record/mmap2.hpp"

#include "support/writer.hpp"

namespace perfdata::test {

// RecordFrame is what every record has besides its own fields.
struct RecordFrame {
    std::endian order = std::endian::little;
    Blob trailer;  // see trailer()
    std::uint16_t misc = 0;
};

// record(type, frame, body) adds header and trailer to `body`.
Blob record(RecordType type, const RecordFrame& frame, const Blob& body);
// bare_record(order, type, misc, size) returns only a header, which claims `size` bytes.
Blob bare_record(std::endian order, std::uint32_t type, std::uint16_t misc, std::uint16_t size);

Blob encode(const Mmap& map, const RecordFrame& frame = {});
// map.build_id selects the form; misc bit 14 follows it.
Blob encode(const Mmap2& map, RecordFrame frame = {});
// misc bit 13 follows comm.exec.
Blob encode(const Comm& comm, RecordFrame frame = {});
Blob encode(const Ksymbol& symbol, const RecordFrame& frame = {});
Blob encode(const BpfEvent& event, const RecordFrame& frame = {});
Blob encode(const Lost& lost, const RecordFrame& frame = {});
// misc bit 15 follows lost.by_bpf_filter.
Blob encode(const LostSamples& lost, RecordFrame frame = {});

// auxtrace(order, claimed, payload): the record claims a payload of `claimed` bytes; `payload` follows.
Blob auxtrace(std::endian order, std::uint64_t claimed, const Blob& payload);

// SampleValues has one value for each field of a sample or a trailer. All differ, so that a confusion is detected.
struct SampleValues {
    std::uint64_t identifier = 0x1111111111111101;
    std::uint64_t ip = 0xffffffff81000102;
    std::uint32_t pid = 0x03030301;
    std::uint32_t tid = 0x03030302;
    std::uint64_t time = 0x0000000404040404;
    std::uint64_t addr = 0x00007f0505050505;
    std::uint64_t id = 0x6666666666666601;
    std::uint64_t stream_id = 0x7777777777777701;
    std::uint32_t cpu = 0x00000008;
    std::uint64_t period = 0x0000000909090909;
};

// sample(type, values, frame, variable) writes the fields whose bits are in `type`, then `variable` unchanged.
Blob sample(std::uint64_t sample_type, const SampleValues& values, const RecordFrame& frame = {},
            const Blob& variable = {});
// trailer(order, type, values) returns the trailer of a kernel record of an event with sample_id_all.
Blob trailer(std::endian order, std::uint64_t sample_type, const SampleValues& values);

// view(blob, order, offset) returns the record as a stream would.
inline RecordView view(const Blob& blob, std::endian order, std::uint64_t offset = 0) {
    return {Bytes(blob), AnyOrder(order), offset};
}

}  // namespace perfdata::test
