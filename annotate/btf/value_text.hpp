// SPDX-License-Identifier: MIT
// Values as C-like text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "format/json_stream.hpp"
#include "value_walk.hpp"

namespace perfdata {

// decimal(number) returns all digits of it.
std::string decimal(const WideNumber& number);

// ValueText appends "{.pid = 12, .comm = \"work\", .kind = KIND_OPEN}" to a text, harmless for a terminal.
class ValueText final : public ValueSink {
  public:
    // The text must outlive it.
    explicit ValueText(std::string& text) : text_(text) {}

    void begin_record(bool is_union, bool unnamed) override;
    void member(std::string_view name) override;
    void end_record(bool unnamed) override;
    void begin_array() override;
    void end_array() override;
    void number(std::uint64_t value) override;
    void negative(std::int64_t value) override;
    void wide(const WideNumber& value) override;
    void truth(bool value) override;
    void character(char value, bool is_signed) override;
    void characters(std::string_view value) override;
    void pointer(std::uint64_t value) override;
    void real(double value, bool single) override;
    void enumerator(std::string_view name) override;
    void bytes(Bytes value) override;
    void unknown() override;
    void left_out() override;

  private:
    void separate();
    void put(std::string_view word);
    void quoted(char quote, std::string_view value);

    std::string& text_;
    bool first_ = true;       // nothing stands in front of it in its braces
    bool in_member_ = false;  // a name was written that waits for its value
};

// ValueJson writes the value as JSON: members of members without names stand in the object around them.
class ValueJson final : public ValueSink {
  public:
    // The writer must outlive it, and expect a value.
    explicit ValueJson(CompactJson& writer) : writer_(writer) {}

    void begin_record(bool is_union, bool unnamed) override;
    void member(std::string_view name) override;
    void end_record(bool unnamed) override;
    void begin_array() override;
    void end_array() override;
    void number(std::uint64_t value) override;
    void negative(std::int64_t value) override;
    void wide(const WideNumber& value) override;
    void truth(bool value) override;
    void character(char value, bool is_signed) override;
    void characters(std::string_view value) override;
    void pointer(std::uint64_t value) override;
    void real(double value, bool single) override;
    void enumerator(std::string_view name) override;
    void bytes(Bytes value) override;
    void unknown() override;
    void left_out() override;

  private:
    CompactJson& writer_;
};

}  // namespace perfdata
