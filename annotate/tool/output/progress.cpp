// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include "core/platform.hpp"
#include "streams.hpp"

namespace perfdata::tool {
namespace {

constexpr std::chrono::milliseconds patience{500}, pause{100};
constexpr std::string_view erase_line = "\r\x1b[K";

bool is_terminal() {
    const char* kind = std::getenv("TERM");
    return platform::is_terminal(platform::standard_error) && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

ProgressLine::ProgressLine(const Common& common)
    : wanted_(!common.quiet && is_terminal()), next_(Clock::now() + patience) {}

ProgressLine::ProgressLine(const Common& common, const Output& output) : ProgressLine(common) {
    wanted_ = wanted_ && !output.is_terminal();
}

ProgressLine::~ProgressLine() {
    hide();
}

void ProgressLine::hide() {
    if (std::exchange(shown_, false)) say(erase_line);
}

Progress ProgressLine::of(std::string stage) {
    if (!wanted_) return {};
    return [this, stage = std::move(stage)](std::uint64_t read, std::uint64_t total) { show(stage, read, total); };
}

bool ProgressLine::is_due() {
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + pause;
    return true;
}

void ProgressLine::files(std::uint64_t done, std::uint64_t total) {
    if (!wanted_ || !is_due()) return;
    shown_ = true;
    say(fmt::format("{}perfdata: {} of {} files", erase_line, done, total));
}

void ProgressLine::show(const std::string& stage, std::uint64_t read, std::uint64_t total) {
    if (!is_due()) return;
    shown_ = true;
    constexpr std::uint64_t mebibyte = 1u << 20;
    const auto percent = total == 0 ? std::string() : fmt::format(", {} %", read * 100 / total);
    say(fmt::format("{}perfdata: {}: {} MiB{}", erase_line, stage, read / mebibyte, percent));
}

}  // namespace perfdata::tool
