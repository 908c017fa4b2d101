// SPDX-License-Identifier: MIT
// perfdata_bench_open RECORDING: what `perfdata info` needs at least. Opens a recording, counts the losses of a small
// one, and prints its events and all values of its features: no limits, sums and messages, and no options, but with the
// library that reads them. It is a program of its own, linked as the tool is, because much of what starting takes is
// loading libraries.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/feature/describe.hpp"

namespace perfdata::bench {
namespace {

// Values appends values of a feature, up to `most` of each list, as `info` shows no more.
class Values {
  public:
    explicit Values(std::string& text) : text_(text) {}

    template <class Value>
    void operator()(std::string_view name, const Value& value) {
        if (shown_++ >= most) return;
        auto out = std::back_inserter(text_);
        if constexpr (std::is_same_v<Value, Address>) {
            fmt::format_to(out, " {} {:#x}", name, value.value);
        } else if constexpr (std::is_same_v<Value, Time>) {
            fmt::format_to(out, " {} {}", name, value.nanoseconds);
        } else if constexpr (std::is_same_v<Value, Bytes>) {
            fmt::format_to(out, " {} {} bytes", name, value.size());
        } else {
            fmt::format_to(out, " {} {}", name, value);
        }
    }
    template <class Body>
    Result<void> list(std::string_view, std::optional<std::uint64_t>, Body&& body) {
        Values elements(text_);
        return body(elements);
    }
    template <class Body>
    Result<void> element(Body&& body) {
        if (shown_++ < most) text_ += "\n     ";
        Values fields(text_);
        if (shown_ > most) fields.shown_ = most;
        return body(fields);
    }

  private:
    static constexpr std::size_t most = 32;

    std::string& text_;
    std::size_t shown_ = 0;
};

// Returns how many samples were lost, as `info` says it.
std::uint64_t lost_samples(const Recording& recording) {
    constexpr std::uint64_t most_counted = std::uint64_t{64} << 20;
    if (recording.bytes() > most_counted) return 0;
    Completeness completeness;
    const auto nothing = [](const RecordContext&, const auto&) {};
    (void)walk(recording, completeness, nothing);
    return completeness.lost_samples;
}

int print(const std::string& path) {
    const auto recording = Recording::open(path);
    if (!recording) {
        std::fputs((recording.error().message() + "\n").c_str(), stderr);
        return 1;
    }
    std::string text;
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{}, {} bytes\n{} {} {} {}\n", recording->path(), recording->bytes(), recording->hostname(),
                   recording->arch(), recording->os_release(), recording->perf_version());
    for (const auto& word : recording->command_line()) fmt::format_to(out, " {}", word);
    text += '\n';
    for (const auto& event : recording->events().events()) {
        const auto& attr = event.attr;
        fmt::format_to(out, "{}: type {}, config {:#x}, sample_type {:#x}, period {}, {} ids\n", event.name, attr.type,
                       attr.config, attr.sample_type, attr.sample_period, event.ids.size());
    }
    fmt::format_to(out, "{} samples lost\n", lost_samples(*recording));
    FeatureContext context;
    for (const auto& section : recording->features()) {
        fmt::format_to(out, "{:<18}", feature_name(section.number));
        const auto payload = recording->read_feature(section);
        if (!payload) continue;
        Values values(text);
        (void)describe_feature(
            section.number,
            Cursor(*payload, recording->order(), {.where = "feature", .offset = section.section.offset}), context,
            values);
        text += '\n';
    }
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}

}  // namespace
}  // namespace perfdata::bench

int main(int count, char** words) {
    CLI::App app("perfdata_bench_open");
    std::string path;
    app.add_option("RECORDING", path)->required();
    CLI11_PARSE(app, count, words);
    return perfdata::bench::print(path);
}
