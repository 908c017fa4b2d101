// SPDX-License-Identifier: MIT
// Fuzz target: a tracepoint format, a NUL, and the raw data of a sample. The text must not exceed what format and data
// can justify. The format is also taken for the kernel's strings, and some addresses have a name.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trace/trace_formats.hpp"

namespace {

using namespace perfdata;

constexpr std::size_t most_text = std::size_t{16} << 20;

class SomeTraceNames final : public TraceNames {
  public:
    bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) override {
        if (address % 2 != 0) return false;
        text += with_offset ? "name+0x10" : "name";
        return true;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = as_text(std::as_bytes(std::span(data, size)));
    const auto end = input.find('\0');
    const TraceStrings strings(input.substr(0, end));
    SomeTraceNames names;
    // A separate copy, to detect reads beyond its end.
    const auto rest = end == std::string_view::npos ? std::string_view{} : input.substr(end + 1);
    const std::vector<char> raw(rest.begin(), rest.end());
    for (const auto order : {std::endian::little, std::endian::big}) {
        const std::uint8_t long_size = order == std::endian::little ? 8 : 4;
        const auto format = TraceText::parse(input.substr(0, end), long_size);
        std::string text;
        format.append(text, {std::as_bytes(std::span(raw)), AnyOrder(order), long_size, &strings, &names});
        if (text.size() > most_text) __builtin_trap();
        for (const auto& [name, value] : format.values()) {
            text.clear();
            format.append_value(text, value,
                                {std::as_bytes(std::span(raw)), AnyOrder(order), long_size, &strings, &names});
            if (name.empty() || text.size() > most_text) __builtin_trap();
        }
    }
    return 0;
}
