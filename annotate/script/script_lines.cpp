// SPDX-License-Identifier: MIT
#include "script_lines.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>

#include "format/words.hpp"

namespace perfdata {
namespace {

// HexPairs is the digits of each byte.
struct HexPairs {
    char digits[256][2];
};
constexpr HexPairs hex_pairs = [] {
    HexPairs pairs{};
    constexpr std::string_view digits = "0123456789abcdef";
    for (std::size_t byte = 0; byte < 256; ++byte) {
        pairs.digits[byte][0] = digits[byte >> 4];
        pairs.digits[byte][1] = digits[byte & 15];
    }
    return pairs;
}();

unsigned slot_bits(const ScriptLines::Options& options, unsigned most) {
    constexpr std::uint64_t bytes_a_place = 1024;
    const auto places = std::min<std::uint64_t>(options.most_places, options.recorded_bytes / bytes_a_place);
    return std::clamp(static_cast<unsigned>(std::bit_width(places)), 8u, most);
}

}  // namespace

void put_hex(char* at, std::uint64_t value) {
    constexpr std::size_t bytes = sizeof value, most = 2 * bytes;
    for (std::size_t byte = 0; byte < bytes; ++byte) {
        std::memcpy(at + most - 2 - 2 * byte, hex_pairs.digits[value >> (8 * byte) & 0xff], 2);
    }
    const auto digits = value == 0 ? 1u : (static_cast<unsigned>(std::bit_width(value)) + 3) / 4;
    std::memset(at, ' ', most - digits);
}

ScriptLines::ScriptLines(ScriptPlaces& places, const Options& options)
    : places_(places),
      most_places_(options.most_places),
      most_text_(options.most_text),
      inlines_(options.inlines),
      all_places_(options.all_places),
      kernel_bits_(slot_bits(options, 14)),
      file_bits_(slot_bits(options, 16)) {}

std::span<const ScriptLines::Line> ScriptLines::answers(const Moment& moment, Style style, bool of_chain) {
    const bool inlined = inlines_ && of_chain;
    answers_.clear();
    nothings_.clear();
    const auto kernel_key = recent_key(style, inlined, places_.kernel_stretch(moment.time));
    const auto file_key = recent_key(style, inlined, generation_);
    for (const auto& one : asked_) {
        auto& line = answers_.emplace_back();
        switch (one.kind) {
            case Asked::Kind::kernel: {
                auto& recent = kernel_[one.slot];
                const Address address{one.place.shown};
                if (recent.address != address || recent.key != kernel_key) [[unlikely]] {
                    recent = {address, kernel_key,
                              line_of(places_.find(moment, address, CpuMode::kernel), style, inlined)};
                }
                line = recent.line;
                break;
            }
            case Asked::Kind::file: {
                auto& recent = files_[one.slot];
                if (recent.key != file_key || !(recent.place == one.place)) [[unlikely]] {
                    recent = {one.place, file_key, line_of(places_.number(one.place), style, inlined)};
                }
                line = recent.line;
                break;
            }
            case Asked::Kind::other: line = line_of(places_.number(one.place), style, inlined); break;
            case Asked::Kind::nothing: {
                // All of a chain fit, so that none is moved.
                if (nothings_.empty()) begin_nothing(style);
                const auto begin = nothings_.size();
                nothings_ += nothing_;
                put_hex(nothings_.data() + begin + 1, one.place.shown);
                line = {nothings_.data() + begin, static_cast<std::uint32_t>(nothing_.size()), none};
                continue;
            }
        }
        __builtin_prefetch(line.text);
        __builtin_prefetch(line.text + line.size - 1);
    }
    asked_.clear();
    return answers_;
}

void ScriptLines::begin_nothing(Style style) {
    if (nothing_style_ != style) {
        nothing_style_ = style;
        nothing_.assign(behind_address, '\t');
        if ((style & ScriptLines::style(field_sym)) != 0) nothing_ += " [unknown]";
        if ((style & ScriptLines::style(field_dso)) != 0) nothing_ += " ([unknown])";
        nothing_ += '\n';
    }
    nothings_.reserve(asked_.size() * nothing_.size());
}

bool ScriptLines::forget_many() {
    if (!is_full()) return false;
    places_.forget();
    for (auto& lines : lines_) lines.clear();
    left_out_lines_.clear();
    texts_ = {};
    ++generation_;
    return true;
}

ScriptLines::Line ScriptLines::line_of(std::uint32_t number, Style style, bool with_inlined) {
    Line line;
    if (with_inlined && places_.ask_inlined()) {
        const bool any =
            !places_.inlined(number, false).numbers.empty() || !places_.inlined(number, true).numbers.empty();
        if (any) line.number = number;
    }
    const auto text = this->line(number, style);
    line.text = text.data();
    line.size = static_cast<std::uint32_t>(text.size());
    return line;
}

std::string_view ScriptLines::write(std::uint32_t number, Style style) {
    const auto found = places_.name_once(number);
    writing_.assign(behind_address, '\t');
    put_hex(writing_.data() + 1, places_.place(number).shown);
    if ((style & ScriptLines::style(field_sym)) != 0) {
        if (found.symbol.empty()) {
            writing_ += " [unknown]";
        } else {
            writing_ += ' ';
            // A chain may have very many inlined functions, all with one long name.
            writing_ += found.inlined ? printable(InLine(found.symbol)) : perfdata::shown(found.symbol);
            if ((style & ScriptLines::style(field_symoff)) != 0) {
                // As in perf, from the start of the function that contains it.
                const auto offset = found.inlined ? places_.offset_of_inlined(number) : found.offset;
                fmt::format_to(std::back_inserter(writing_), "+{:#x}", offset);
            }
        }
    }
    if (found.inlined) {
        writing_ += inlined_mark;
    } else if ((style & ScriptLines::style(field_dso)) != 0) {
        writing_ += " (";
        writing_ += found.object.empty() ? "[unknown]" : perfdata::shown(found.object);
        writing_ += ')';
    }
    writing_ += '\n';
    return texts_.keep(writing_);
}

std::string_view ScriptLines::left_out_line(std::uint32_t number) {
    auto& line = left_out_lines_[number];
    if (line.empty()) {
        const auto count = ScriptPlaces::left_out_count(number);
        line = texts_.keep(fmt::format("\t{:16} [{} more inlined function{}]\n", "", count, count == 1 ? "" : "s"));
    }
    return line;
}

std::string_view ScriptLines::write_object(std::uint32_t number) {
    const auto object = places_.name_once(number).object;
    writing_.clear();
    writing_ += object.empty() ? "[unknown]" : printable(InLine(object, InLine::Keep::end));
    return texts_.keep(writing_);
}

}  // namespace perfdata
