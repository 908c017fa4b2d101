// SPDX-License-Identifier: MIT
#include "flat_print.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "trace_number.hpp"

namespace perfdata {

bool FlatPrint::can_print(const TraceDirective& directive) {
    const bool is_plain =
        !directive.width && !directive.precision && !directive.alternate && !directive.plus && !directive.space;
    return is_plain && std::string_view("diuxo").find(directive.conversion) != std::string_view::npos;
}

void FlatPrint::add_text(std::string_view text) {
    literals_.insert(size_, text);
    size_ += text.size();
}

char* FlatPrint::put(char* at, const char* from, const char* to) {
    for (std::ptrdiff_t done = 0; done < to - from; done += copy_step) std::memcpy(at + done, from + done, copy_step);
    return at + (to - from);
}

void FlatPrint::add_number(const TraceProgram& program, const TraceDirective& directive) {
    Number number{program, size_};
    number.bytes = TraceWriter::bytes_of(directive);
    number.base = directive.conversion == 'x' ? 16 : directive.conversion == 'o' ? 8 : 10;
    number.is_signed = TraceWriter::is_signed(directive);
    numbers_.push_back(std::move(number));
}

void FlatPrint::append(std::string& text, Bytes raw, AnyOrder order) const {
    text.resize_and_overwrite(text.size() + most() + copy_step, [&, begin = text.size()](char* data, std::size_t) {
        auto* at = data + begin;
        const auto* literal = literals_.data();
        for (const auto& number : numbers_) {
            const auto* const end = literals_.data() + number.begin;
            at = put(at, literal, end);
            literal = end;
            const auto value = narrowed(number.program.run(raw, order).bits, number.bytes, number.is_signed);
            at = number.is_signed
                     ? std::to_chars(at, at + most_digits, static_cast<std::int64_t>(value), number.base).ptr
                     : std::to_chars(at, at + most_digits, value, number.base).ptr;
        }
        at = put(at, literal, literals_.data() + size_);
        return static_cast<std::size_t>(at - data);
    });
}

}  // namespace perfdata
