// SPDX-License-Identifier: MIT
// Words of --sort and --histogram that mean something that an event wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/recording.hpp"

#include "trace_fields.hpp"

namespace perfdata {

struct TraceKey {
    enum class Kind : std::uint8_t {
        text,        // "trace": what the event says of itself
        field,       // "trace:prev_pid", "sched:sched_switch.prev_pid"
        all_fields,  // "trace_fields", "sched:sched_switch.*"
    } kind = Kind::text;
    std::string event{};  // as users name it; empty: any
    FieldName field{};
    bool raw = false;  // "trace:prev_state/raw": the value itself, not what the event prints for it

    // parse(word) returns nothing if the word is none of these.
    static std::optional<TraceKey> parse(std::string_view word);
    // parse_field(word) is for places where only fields are meant: "prev_pid" is one, too. Nothing if it is none.
    static std::optional<TraceKey> parse_field(std::string_view word);

    // events_of(events, option) returns of each event whether the key is for it, whether it has the field or not. As in
    // perf, a part of its name without a colon is enough, if it is a part of no other tracepoint's; a whole name, or
    // the name behind the system's, comes first. Errors: missing (it is a part of several names).
    Result<std::vector<bool>> events_of(const std::vector<Event>& events, std::string_view option) const;
    bool operator==(const TraceKey&) const = default;

  private:
    bool is_named(const Event& event) const;
};

}  // namespace perfdata
