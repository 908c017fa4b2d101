// SPDX-License-Identifier: MIT
// Demangles with libiberty, which by itself limits neither time nor output nor stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/symbols/elf/demangle/demangle.hpp"

namespace perfdata {

// Returns how many bytes a demangled name may have. Longer ones are bombs: back-references make gigabytes of 300 bytes.
constexpr std::size_t most_readable(std::size_t mangled) {
    constexpr std::size_t least = 4096, growth = 32, most = 65536;
    return std::min(most, least + growth * mangled);
}

// BoundedText collects text from libiberty's callbacks. It throws nothing: exceptions must not pass through C.
class BoundedText {
  public:
    explicit BoundedText(std::size_t most) : room_(std::make_unique_for_overwrite<char[]>(most)), most_(most) {}

    // Returns false if the text became too long. It is useless from then on.
    bool add(const char* text, std::size_t size) noexcept {
        if (full_ || size > most_ - size_) {
            full_ = true;
            return false;
        }
        std::copy_n(text, size, room_.get() + size_);
        size_ += size;
        return true;
    }

    bool whole() const { return !full_ && size_ != 0; }
    std::string_view text() const { return {room_.get(), size_}; }

  private:
    std::unique_ptr<char[]> room_;
    std::size_t most_;
    std::size_t size_ = 0;
    bool full_ = false;
};

// Demangles names of the Itanium C++ ABI: "_Z...".
std::optional<std::string> demangle_cxx(const std::string& symbol, NameStyle style);

// Demangles names of Rust's v0 scheme: "_R...".
std::optional<std::string> demangle_rust(const std::string& symbol, NameStyle style);

}  // namespace perfdata
