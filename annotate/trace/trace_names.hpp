// SPDX-License-Identifier: MIT
// What a recording says of addresses in the data of tracepoints: names of code, and strings of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata {

// TraceNames is implemented by whoever has symbols, for the moment of one sample.
class TraceNames {
  public:
    TraceNames() = default;
    TraceNames(const TraceNames&) = delete;
    TraceNames& operator=(const TraceNames&) = delete;
    virtual ~TraceNames() = default;

    // append_symbol(text, address, with_offset) appends "name" or "name+0x1c" of kernel code, printable; it returns
    // false, and appends nothing, if there is no name.
    virtual bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) = 0;
};

// append_found_symbol(text, symbol, offset, with_offset) is append_symbol() for a name that was looked up; empty: none.
bool append_found_symbol(std::string& text, std::string_view symbol, std::uint64_t offset, bool with_offset);

// TraceStrings are strings of the kernel by address. They take memory in proportion to the text.
class TraceStrings {
  public:
    TraceStrings() = default;
    // Reads lines `0xffffffff8281a424 : "Start context switch"`, as in TracingData::Tail::printk_formats. Other lines
    // are left out.
    explicit TraceStrings(std::string_view printk_formats);

    // find(address) returns nothing if there is no string there. Valid as long as this lives.
    std::optional<std::string_view> find(std::uint64_t address) const;

  private:
    struct Place {
        std::uint64_t address = 0;
        std::uint32_t begin = 0, size = 0;
    };
    std::string text_;
    std::vector<Place> places_;  // sorted
};

}  // namespace perfdata
