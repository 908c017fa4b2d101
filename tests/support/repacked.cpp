// SPDX-License-Identifier: MIT
#include "support/repacked.hpp"

#include "perfdata/recording/record_stream.hpp"

namespace perfdata::test {
namespace {

Blob blob_of_bytes(Bytes bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

Crafted content_of(const Recording& recording) {
    Crafted content;
    content.order = recording.order().endian();
    content.attr_bytes = static_cast<std::uint32_t>(recording.header().attr_size - 16);
    for (const auto& event : recording.events().events()) {
        std::vector<std::uint64_t> ids;
        for (const auto id : event.ids) ids.push_back(id.value);
        content.events.push_back({event.attr, ids, event.name});
    }
    auto stream = recording.records();
    for (const RecordView& record : stream) {
        // perf writes its own records uncompressed; -z compresses the ones from the rings.
        const bool of_ring =
            record.header().type < 64 && recording.events().time_of(record, record.order, Time::forever()) != Time{};
        (of_ring ? content.records : content.synthesized).push_back(blob_of_bytes(record.bytes));
    }
    for (const auto& section : recording.features()) {
        content.features[section.number] = recording.read_feature(static_cast<Feature>(section.number)).value();
    }
    return content;
}

Blob compression_feature(std::endian order) {
    return Writer(order).u32(0).u32(1).u32(1).u32(5).u32(528384).take();
}

}  // namespace perfdata::test
