// SPDX-License-Identifier: MIT
// Counter values: of samples with PERF_SAMPLE_READ and of READ records. Follows perf_output_read in
// kernel/events/core.c.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/sample/part.hpp"

namespace perfdata {

// ReadValue is the value of one counter. Values are running totals.
struct ReadValue {
    std::uint64_t value = 0;            // what the counter has counted
    std::optional<EventId> id;          // the event; empty if the format lacks it
    std::optional<std::uint64_t> lost;  // samples of it that were lost; empty if the format lacks it
};

//     one event:  value . [enabled] . [running] . [id] . [lost]
//     a group:    count . [enabled] . [running] . count x { value . [id] . [lost] }
template <class Order>
class ReadValues {
  public:
    // parse(at, left, format, order) returns nothing if the values extend beyond the `left` bytes.
    static std::optional<ReadValues> parse(const std::byte* at, std::size_t left, std::uint64_t format, Order order) {
        const bool group = (format & read_bit::group) != 0;
        const auto fixed = read_times_bytes(format) + (group ? 8 : 0);
        if (left < fixed + (group ? 0 : read_value_bytes(format))) return {};
        ReadValues values;
        values.order_ = order;
        values.format_ = format;
        values.count_ = 1;
        if (group) {
            values.count_ = order.template load<std::uint64_t>(at);
            if (values.count_ > (left - fixed) / read_value_bytes(format)) return {};
            at += 8;
        } else {
            values.first_ = at;
            at += 8;
        }
        const auto word = [&] {
            const auto value = order.template load<std::uint64_t>(at);
            at += 8;
            return value;
        };
        if ((format & read_bit::time_enabled) != 0) values.enabled_ = word();
        if ((format & read_bit::time_running) != 0) values.running_ = word();
        values.rest_ = at;
        return values;
    }

    std::size_t size() const { return static_cast<std::size_t>(count_); }  // number of counters: 1 unless it is a group
    // time_enabled(), time_running() are in nanoseconds; running is less if the counter had to share its hardware.
    std::optional<std::uint64_t> time_enabled() const { return enabled_; }
    std::optional<std::uint64_t> time_running() const { return running_; }

    // The index must be below size().
    ReadValue operator[](std::size_t index) const {
        const auto* at = rest_;
        ReadValue result;
        if (first_ != nullptr) {
            result.value = order_.template load<std::uint64_t>(first_);
        } else {
            at += index * read_value_bytes(format_);
            result.value = order_.template load<std::uint64_t>(at);
            at += 8;
        }
        if ((format_ & read_bit::id) != 0) {
            result.id = EventId{order_.template load<std::uint64_t>(at)};
            at += 8;
        }
        if ((format_ & read_bit::lost) != 0) result.lost = order_.template load<std::uint64_t>(at);
        return result;
    }

  private:
    [[no_unique_address]] Order order_;
    std::uint64_t format_ = 0;
    std::uint64_t count_ = 0;
    const std::byte* first_ = nullptr;  // the value, if it precedes the times
    const std::byte* rest_ = nullptr;
    std::optional<std::uint64_t> enabled_, running_;
};

}  // namespace perfdata
