// SPDX-License-Identifier: MIT
#include "csv_writer.hpp"

#include <fmt/format.h>
#include <iterator>

#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::size_t csv_block = std::size_t{64} << 10;
constexpr std::uint64_t csv_second = 1'000'000'000;

}  // namespace

std::string csv_text(std::string_view text) {
    auto field = shown(text);
    if (!field.empty() && std::string_view("=+-@\t").contains(field.front())) field.insert(0, 1, '\'');
    const bool spaces = !field.empty() && (field.front() == ' ' || field.back() == ' ');
    if (!spaces && field.find_first_of(",\"\t") == std::string::npos) return field;
    std::string quoted = "\"";
    for (const char byte : field) {
        if (byte == '"') quoted += '"';
        quoted += byte;
    }
    quoted += '"';
    return quoted;
}

void CsvWriter::header(std::initializer_list<std::string_view> names) {
    for (const auto name : names) field(name);
    end_row();
}

void CsvWriter::separate() {
    if (begun_) block_ += ',';
    begun_ = true;
}

CsvWriter& CsvWriter::field(std::string_view text) {
    separate();
    block_ += text;
    return *this;
}

CsvWriter& CsvWriter::number(std::uint64_t number) {
    separate();
    fmt::format_to(std::back_inserter(block_), "{}", number);
    return *this;
}

CsvWriter& CsvWriter::signed_number(std::int64_t number) {
    separate();
    fmt::format_to(std::back_inserter(block_), "{}", number);
    return *this;
}

CsvWriter& CsvWriter::seconds(std::uint64_t nanoseconds) {
    separate();
    fmt::format_to(std::back_inserter(block_), "{}.{:09}", nanoseconds / csv_second, nanoseconds % csv_second);
    return *this;
}

CsvWriter& CsvWriter::address(std::uint64_t address) {
    separate();
    fmt::format_to(std::back_inserter(block_), "{:#018x}", address);
    return *this;
}

void CsvWriter::end_row() {
    block_ += '\n';
    begun_ = false;
    if (block_.size() < csv_block) return;
    sink_(block_);
    block_.clear();
}

void CsvWriter::finish() {
    if (!block_.empty()) sink_(block_);
    block_.clear();
}

}  // namespace perfdata
