// SPDX-License-Identifier: MIT
// Words of --sort and --histogram that mean something that an event wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

    // is_of(event) returns true if the key is for that event, whether it has the field or not.
    bool is_of(const Event& event) const;
    bool operator==(const TraceKey&) const = default;
};

}  // namespace perfdata
