// SPDX-License-Identifier: MIT
// Shared by all fuzz targets: checks of promises, limits that keep a run short, choices made by the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace perfdata::fuzz {

inline void require(bool promise) {
    if (!promise) __builtin_trap();
}

inline Limits small_limits() {
    Limits limits;
    limits.section_bytes = std::uint64_t{1} << 20;
    limits.unpacked_bytes = std::uint64_t{1} << 22;
    limits.kallsyms_bytes = std::uint64_t{1} << 20;
    limits.perf_map_bytes = std::uint64_t{1} << 20;
    limits.function_bytes = std::uint64_t{1} << 16;
    limits.events = 64;
    limits.ids = 4096;
    limits.bpf_programs = 256;
    limits.code_versions = 4096;
    limits.diagnostics = 16;
    return limits;
}

// Touched sums up all bytes that it is given, so that a view beyond its input is read here.
class Touched {
  public:
    Touched() = default;
    Touched(const Touched&) = delete;
    Touched& operator=(const Touched&) = delete;
    ~Touched() {
        volatile const auto kept = sum_;
        (void)kept;
    }

    void bytes(Bytes view) {
        for (const auto byte : view) sum_ += std::to_integer<unsigned>(byte);
    }
    void text(std::string_view view) { bytes(std::as_bytes(std::span(view))); }
    void number(std::uint64_t value) { sum_ += value; }

  private:
    std::uint64_t sum_ = 0;
};

// Choices takes an input's first bytes as the target's choices; missing bytes are zero.
class Choices {
  public:
    Choices(const std::uint8_t* data, std::size_t size) : left_(std::as_bytes(std::span(data, size))) {}

    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    Bytes bytes(std::size_t most) {
        const auto taken = left_.first(most < left_.size() ? most : left_.size());
        left_ = left_.subspan(taken.size());
        return taken;
    }
    Bytes rest() { return bytes(left_.size()); }
    bool empty() const { return left_.empty(); }

  private:
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        const auto taken = bytes(size);
        for (auto at = taken.size(); at != 0; --at) value = value << 8 | std::to_integer<unsigned>(taken[at - 1]);
        return value;
    }

    Bytes left_;
};

}  // namespace perfdata::fuzz
