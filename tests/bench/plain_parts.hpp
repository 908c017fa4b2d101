// SPDX-License-Identifier: MIT
// What the plain loops have in common.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/frame_at.hpp"

namespace perfdata::bench {

inline constexpr auto none = ~std::uint32_t{0};

// Opened is a recording with its timeline and names: what every loop begins with.
struct Opened {
    explicit Opened(const std::string& path)
        : recording(take(Recording::open(path))),
          timeline(take(Timeline::build(recording))),
          symbolizer(Symbolizer::open(recording, timeline, options())) {}

    template <class Value>
    static Value take(Result<Value> result) {
        if (!result) throw std::runtime_error(result.error().message());
        return *std::move(result);
    }
    static SymbolizerOptions options() {
        SymbolizerOptions options;
        options.finder.allow_local = true;
        if (const char* home = std::getenv("HOME")) options.finder.local_buildid_dir = std::string(home) + "/.debug";
        return options;
    }
    template <class Visitor>
    void walk_with(Visitor& visit, RecordOrder order = RecordOrder::file) const {
        Completeness completeness;
        WalkOptions options;
        options.order = order;
        options.times = timeline.times();
        const auto walked = walk(recording, completeness, visit, options);
        if (!walked) throw std::runtime_error(walked.error().message());
    }

    const Recording recording;
    const Timeline timeline;
    const Symbolizer symbolizer;
};

// Page collects text and writes it in large blocks.
class Page {
  public:
    template <class... Values>
    void line(fmt::format_string<Values...> form, Values&&... values) {
        auto& text = this->text();
        fmt::format_to(std::back_inserter(text), form, std::forward<Values>(values)...);
        text += '\n';
        ++lines_;
    }
    // text() returns what the next text is appended to.
    std::string& text() {
        if (text_.size() >= block) flush();
        return text_;
    }
    // write(most, put) appends what put(at) writes there: at most so many bytes. It returns what is behind them.
    template <class Put>
    void write(std::size_t most, Put&& put) {
        auto& text = this->text();
        text.resize_and_overwrite(text.size() + most, [&, begin = text.size()](char* data, std::size_t) {
            return static_cast<std::size_t>(put(data + begin) - data);
        });
    }
    void flush() {
        if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size())
            throw std::runtime_error("cannot write");
        text_.clear();
    }
    std::uint64_t lines() const { return lines_; }

  private:
    static constexpr std::size_t block = std::size_t{64} << 10;
    std::string text_;
    std::uint64_t lines_ = 0;
};

// Comms numbers the names of tasks.
class Comms {
  public:
    explicit Comms(const Timeline& timeline) : recent_(timeline.tasks()) {}

    std::uint32_t of(Tid tid, Time time) {
        const auto comm = recent_.comm_at(tid, time);
        if (comm.data() != last_.data() || comm.size() != last_.size()) {
            const auto [at, is_new] = numbers_.try_emplace(comm, static_cast<std::uint32_t>(names_.size()));
            if (is_new) names_.push_back(comm);
            last_ = comm;
            number_ = at->second;
        }
        return number_;
    }
    std::string_view name(std::uint32_t number) const { return names_[number]; }
    std::size_t size() const { return names_.size(); }
    RecentTasks& recent() { return recent_; }

  private:
    RecentTasks recent_;
    std::map<std::string_view, std::uint32_t> numbers_;
    std::vector<std::string_view> names_;
    std::string_view last_;
    std::uint32_t number_ = 0;
};

// Two is a key of two numbers.
struct Two {
    std::uint32_t one = 0, other = 0;

    bool operator==(const Two&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{one} << 32 | other, 0); }
};

// Label is how a function is shown.
struct Label {
    std::string_view object;
    std::string symbol;
};

inline Label label_of(const Symbolizer& symbolizer, const Frame& function) {
    const auto name = symbolizer.name(function);
    const bool in_kernel = name.kind == CodeClass::kernel || name.kind == CodeClass::module;
    auto text = name.symbol.empty() ? fmt::format("{:#018x}", name.offset) : std::string(name.symbol);
    return {name.object, fmt::format("[{}] {}", in_kernel ? 'k' : '.', text)};
}

}  // namespace perfdata::bench
