// SPDX-License-Identifier: MIT
// Fuzz target: a tracepoint format, a NUL, and the raw data of a sample. The text must not exceed what format and data
// can justify.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trace/trace_formats.hpp"

namespace {

using namespace perfdata;

constexpr std::size_t most_text = std::size_t{16} << 20;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = as_text(std::as_bytes(std::span(data, size)));
    const auto end = input.find('\0');
    const auto format = TraceText::parse(input.substr(0, end));
    // A separate copy, to detect reads beyond its end.
    const auto rest = end == std::string_view::npos ? std::string_view{} : input.substr(end + 1);
    const std::vector<char> raw(rest.begin(), rest.end());
    for (const auto order : {std::endian::little, std::endian::big}) {
        std::string text;
        format.append(text, {std::as_bytes(std::span(raw)), AnyOrder(order)});
        if (text.size() > most_text) __builtin_trap();
    }
    return 0;
}
