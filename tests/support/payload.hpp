// SPDX-License-Identifier: MIT
// Payloads of the header features: one well-formed example each, with describe_feature's result.
#pragma once

#include <string>
#include <vector>

#include "perfdata/wire/feature/number.hpp"

#include "support/features.hpp"

namespace perfdata::test {

// over(blob, order) reads the payload as if at byte 4096 of a file.
inline Cursor over(const Blob& blob, std::endian order) {
    return {blob, AnyOrder(order), {.where = "feature", .offset = 4096}};
}

// for_every_cut(blob, check) calls check(cut) with every shorter form, each in a heap block of its size, so that a
// sanitizer detects reads beyond its end.
template <class Check>
void for_every_cut(const Blob& blob, Check check) {
    for (std::size_t size = 0; size < blob.size(); ++size) {
        check(Blob(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(size)));
    }
}

// FeatureWriter is a Writer with feature strings.
class FeatureWriter : public Writer {
  public:
    using Writer::Writer;

    FeatureWriter& u32(std::uint32_t value) { return Writer::u32(value), *this; }
    FeatureWriter& u64(std::uint64_t value) { return Writer::u64(value), *this; }
    FeatureWriter& string(std::string_view text) { return bytes(feature_string(order(), text)), *this; }
    FeatureWriter& strings(const std::vector<std::string>& texts) {
        return bytes(feature_strings(order(), texts)), *this;
    }
};

struct BuildIdRecord {
    std::uint16_t misc = 0;
    std::int32_t pid = -1;
    std::string name;
    std::uint8_t id_size = 20;
    std::size_t name_multiple = 64;
    std::uint32_t type = 0;
};
// The id is the bytes 1, 2, ... 20.
Blob build_id_record(std::endian order, const BuildIdRecord& record);
// The layout without pid; zeros follow `id`.
Blob old_build_id_record(std::endian order, std::uint16_t misc, std::string_view name);

struct TraceSystem {
    std::string name;
    std::vector<std::string> formats;
};
struct TracingBlob {
    std::string version = "0.6";
    std::vector<std::string> ftrace = {"name: function\nID: 1\nformat:\n"};
    std::vector<TraceSystem> systems = {{"sched", {"name: sched_switch\nID: 314\nformat:\n", "name: sched_waking\n"}},
                                        {"irq", {}}};
    std::string kallsyms, printk_formats = "0x1 : \"a\"\n", command_lines = "1 init\n";
};
Blob tracing_data(std::endian order, const TracingBlob& blob);

// PayloadExample: `lines` is FeatureLines' result (see lines.hpp) for describe_feature with two available CPUs.
struct PayloadExample {
    Feature feature;
    Blob payload;
    std::vector<std::string> lines;
};
std::vector<PayloadExample> payload_examples(std::endian order);

}  // namespace perfdata::test
