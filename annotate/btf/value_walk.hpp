// SPDX-License-Identifier: MIT
// Goes through the bytes of a value as its type says, and passes what it finds to a sink: text or JSON.
#pragma once

#include <cstdint>
#include <string_view>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/types.hpp"

#include "type_table.hpp"

namespace perfdata {

// WideNumber is an integer of more than 64 bits, two's complement if it is signed.
struct WideNumber {
    std::uint64_t high = 0, low = 0;
    bool is_signed = false;
};

// ValueSink takes the parts of a value in order. Names and texts are as recorded: they may hold anything.
class ValueSink {
  public:
    ValueSink() = default;
    ValueSink(const ValueSink&) = delete;
    ValueSink& operator=(const ValueSink&) = delete;
    virtual ~ValueSink() = default;

    // A struct or union. `unnamed`: it is a member without a name, whose members count as those of what it is in.
    virtual void begin_record(bool is_union, bool unnamed) = 0;
    virtual void member(std::string_view name) = 0;
    virtual void end_record(bool unnamed) = 0;
    virtual void begin_array() = 0;
    virtual void end_array() = 0;

    virtual void number(std::uint64_t value) = 0;
    virtual void negative(std::int64_t value) = 0;
    virtual void wide(const WideNumber& value) = 0;
    virtual void truth(bool value) = 0;
    virtual void character(char value, bool is_signed) = 0;
    virtual void characters(std::string_view value) = 0;  // up to its NUL, if it has one
    virtual void pointer(std::uint64_t value) = 0;
    virtual void real(double value, bool single) = 0;
    virtual void enumerator(std::string_view name) = 0;
    virtual void bytes(Bytes value) = 0;  // of a type that is not understood
    virtual void unknown() = 0;           // a value that cannot be shown: ValueNotes counts why
    virtual void left_out() = 0;          // more members or elements than are shown
};

// ValueNotes is what a walk could not show, and why.
struct ValueNotes {
    std::uint64_t beyond_payload = 0;  // values that end behind the payload
    std::uint64_t beyond_record = 0;   // members that lie outside of their struct
    std::uint64_t untyped = 0;         // values whose type is missing, or has no size
    std::uint64_t too_deep = 0;        // types nested deeper than TypeTable::deepest
    std::uint64_t behind_nul = 0;      // bytes other than NUL behind the NUL of char arrays
    bool flexible = false;             // it ends in an array of as many elements as there are bytes for
    bool cut = false;                  // it has too many values for its size

    // whole() returns true if nothing is missing.
    bool whole() const { return beyond_payload + beyond_record + untyped + too_deep == 0 && !cut; }
};

// walk_value(...) shows the value of a type at the start of the payload. Work and output are at most in proportion to
// the payload: types may contain themselves, and unions show the same bytes many times.
ValueNotes walk_value(const TypeTable& types, std::uint32_t type, Bytes payload, AnyOrder order, ValueSink& sink);

// tail_padding(types, type) returns the bytes of a struct or union behind its last member; 0 for other types. It looks
// at all members, thousands perhaps: ask once for each type.
std::uint64_t tail_padding(const TypeTable& types, std::uint32_t type);

}  // namespace perfdata
