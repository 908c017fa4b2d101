// SPDX-License-Identifier: MIT
// Fuzz target: an expression of --filter, a NUL, the format of a tracepoint, a NUL, and the raw data of a sample. The
// expression is asked of the data, and all fields are read, counted and shown.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace_filter.hpp"
#include "trace/trace_histogram.hpp"
#include "trace/trace_labels.hpp"

namespace {

using namespace perfdata;

std::string_view part_before_nul(std::string_view& rest) {
    const auto end = rest.find('\0');
    const auto part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return part;
}

void require(bool kept) {
    if (!kept) __builtin_trap();
}

void ask_all(const TraceFilter& filter, const TraceFields& fields, Bytes raw) {
    const auto bound = BoundTraceFilter::bind(filter, fields, {0, 1}, {"one", "two"});
    if (!bound) return;
    for (const std::uint32_t event : {0u, 1u, 2u}) (void)(*bound)->ask({event, raw, 3, "comm"});
    // Without any value only constants could pass, and there are none.
    require((*bound)->ask({2, {}, {}, {}}) == PayloadAnswer::no_value);
}

void read_all(const TraceFields& fields, Bytes raw) {
    constexpr std::size_t most_text = std::size_t{1} << 20;  // an element takes at most 22 characters
    const auto* const format = fields.of(0);
    std::vector<HistogramField> numbers;
    for (const auto part : {format->common(), format->own()}) {
        for (const auto& field : part) {
            std::string text;
            const bool has_value = append_field_value(text, field.type, {}, raw, fields.order());
            require(has_value || text.empty());
            require(text.size() < most_text);
            if (field.type.is_number()) numbers.push_back({{field.name}});
            if (field.type.kind == FieldType::Kind::numbers) numbers.push_back({{field.name, 1}});
        }
    }
    auto counted = TraceHistograms::make(fields, numbers, {0}, {"one"});
    if (!counted) return;
    constexpr std::uint64_t samples = 3;
    for (std::uint64_t at = 0; at < samples; ++at) counted->add(0, raw.subspan(0, raw.size() >> at));
    for (const auto& one : counted->histograms()) {
        require(one.samples + one.no_value == samples);
        std::uint64_t sum = 0;
        for (const auto& bucket : one.buckets) {
            sum += bucket.samples;
            require(!one.label_of(bucket).empty());
        }
        require(sum == one.samples);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto rest = as_text(std::as_bytes(std::span(data, size)));
    const auto filter = TraceFilter::parse(part_before_nul(rest));
    const std::string format(part_before_nul(rest));
    // A separate copy, to detect reads beyond its end.
    const std::vector<char> raw(rest.begin(), rest.end());
    const auto bytes = std::as_bytes(std::span(raw));
    for (const auto order : {std::endian::little, std::endian::big}) {
        const auto fields = TraceFields::of_formats({format}, AnyOrder(order));
        if (filter) ask_all(*filter, fields, bytes);
        read_all(fields, bytes);
    }
    return 0;
}
