// SPDX-License-Identifier: MIT
// A visitor of describe_feature that writes one line per value: "nodes.0.cpus=0-3".
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/cursor.hpp"

namespace perfdata::test {

class FeatureLines {
  public:
    explicit FeatureLines(std::vector<std::string>& lines, std::string prefix = {})
        : lines_(&lines), prefix_(std::move(prefix)) {}

    void operator()(std::string_view name, std::uint64_t value) { add(name, std::to_string(value)); }
    void operator()(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
    void operator()(std::string_view name, bool value) { add(name, value ? "true" : "false"); }
    void operator()(std::string_view name, Time value) { add(name, std::to_string(value.nanoseconds) + "ns"); }
    void operator()(std::string_view name, Address value) { add(name, "@" + std::to_string(value.value)); }
    void operator()(std::string_view name, std::string_view value) { add(name, "'" + std::string(value) + "'"); }
    void operator()(std::string_view name, Bytes value) {
        std::string text = "x";
        for (const auto byte : value) {
            constexpr std::string_view digits = "0123456789abcdef";
            text += digits[std::to_integer<unsigned>(byte) >> 4];
            text += digits[std::to_integer<unsigned>(byte) & 15];
        }
        add(name, text);
    }

    // A list becomes "name[count]" and the lines of its elements, prefixed "name.index".
    template <class Body>
    Result<void> list(std::string_view name, std::optional<std::uint64_t> count, Body body) {
        const auto here = prefix_ + std::string(name);
        lines_->push_back(here + "[" + (count ? std::to_string(*count) : "?") + "]");
        return body(FeatureLines(*lines_, here + "."));
    }
    template <class Body>
    Result<void> element(Body body) {
        return body(FeatureLines(*lines_, prefix_ + std::to_string(index_++) + "."));
    }

  private:
    void add(std::string_view name, const std::string& value) {
        lines_->push_back(prefix_ + (name.empty() ? std::to_string(index_++) : std::string(name)) + "=" + value);
    }

    std::vector<std::string>* lines_;
    std::string prefix_;
    std::size_t index_ = 0;
};

}  // namespace perfdata::test
