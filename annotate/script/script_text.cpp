// SPDX-License-Identifier: MIT
#include "script_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

#include "perfdata/wire/sample/branch_stack.hpp"
#include "perfdata/wire/sample/data_source.hpp"
#include "perfdata/wire/sample/details.hpp"
#include "perfdata/wire/sample/registers.hpp"

#include "format/words.hpp"
#include "script_trace_names.hpp"

namespace perfdata {
namespace {

constexpr std::size_t most_digits = 20;  // of 64 bits, in decimal; also with a sign
constexpr std::size_t hex_width = 16;
constexpr std::size_t blank_step = 16;
static_assert(blank_step <= most_digits);  // what follows blanks has room for that

// DecimalPairs is the digits of the numbers below 100.
struct DecimalPairs {
    char digits[100][2];
};
constexpr DecimalPairs decimal_pairs = [] {
    DecimalPairs pairs{};
    for (int number = 0; number < 100; ++number) {
        pairs.digits[number][0] = static_cast<char>('0' + number / 10);
        pairs.digits[number][1] = static_cast<char>('0' + number % 10);
    }
    return pairs;
}();

// These write at `at`, and return what is behind it: see ScriptText::append(). Texts of a few letters are copied
// without a call.
char* put_text(char* at, std::string_view text) {
    const auto size = text.size();
    const auto both_ends = [&](auto number) {
        std::memcpy(&number, text.data(), sizeof number);
        std::memcpy(at, &number, sizeof number);
        std::memcpy(&number, text.data() + size - sizeof number, sizeof number);
        std::memcpy(at + size - sizeof number, &number, sizeof number);
        return at + size;
    };
    if (size > 2 * sizeof(std::uint64_t)) return std::copy(text.begin(), text.end(), at);
    if (size >= sizeof(std::uint64_t)) return both_ends(std::uint64_t());
    if (size >= sizeof(std::uint32_t)) return both_ends(std::uint32_t());
    for (const char one : text) *at++ = one;
    return at;
}
// put_line(at, text) is for texts of usual lines.
char* put_line(char* at, std::string_view text) {
    constexpr std::size_t step = 32;
    const auto size = text.size();
    if (size < step || size > 4 * step) return put_text(at, text);
    for (std::size_t done = 0; done + step < size; done += step) std::memcpy(at + done, text.data() + done, step);
    std::memcpy(at + size - step, text.data() + size - step, step);
    return at + size;
}
// put_blanks(at, count) may write as many as a step beyond that.
char* put_blanks(char* at, std::size_t count) {
    if (count > blank_step) return std::fill_n(at, count, ' ');
    std::memset(at, ' ', blank_step);
    return at + count;
}
char* put_right(char* at, std::string_view text, std::size_t width) {
    if (text.size() < width) at = put_blanks(at, width - text.size());
    return put_text(at, text);
}
// decimal_digits(number) returns how many digits it has.
std::size_t decimal_digits(std::uint64_t number) {
    static constexpr auto powers = [] {
        std::array<std::uint64_t, most_digits> all{};
        for (std::uint64_t at = 1, power = 10; at < all.size(); ++at, power *= 10) all[at] = power;
        return all;
    }();
    const auto about =
        static_cast<std::size_t>(std::bit_width(number | 1) * 1233 >> 12);  // of the binary ones, log10(2)
    return about + static_cast<std::size_t>(number >= powers[about]);
}
char* put_digits(char* at, std::uint64_t number, std::size_t digits) {
    auto* to = at + digits;
    for (; number >= 100; number /= 100) std::memcpy(to -= 2, decimal_pairs.digits[number % 100], 2);
    if (number >= 10) {
        std::memcpy(to - 2, decimal_pairs.digits[number], 2);
    } else {
        to[-1] = static_cast<char>('0' + number);
    }
    return at + digits;
}
// put_number(at, number, width) formats like "%*lu". Digits are written where they stay: copied from elsewhere, they
// would wait to be written there first, which takes 4 % of a script of tracepoints.
char* put_number(char* at, std::uint64_t number, std::size_t width) {
    const auto digits = decimal_digits(number);
    if (digits < width) at = put_blanks(at, width - digits);
    return put_digits(at, number, digits);
}
// put_id(at, number, width) formats like "%*d".
char* put_id(char* at, std::int32_t number, std::size_t width) {
    if (number >= 0) return put_number(at, static_cast<std::uint64_t>(number), width);
    const auto size = -static_cast<std::int64_t>(number);
    const auto digits = decimal_digits(static_cast<std::uint64_t>(size));
    if (digits + 1 < width) at = put_blanks(at, width - digits - 1);
    *at++ = '-';
    return put_digits(at, static_cast<std::uint64_t>(size), digits);
}
// put_fraction(at, number, digits) formats like "%0*lu" if the number has no more digits.
char* put_fraction(char* at, std::uint64_t number, std::size_t digits) {
    auto* to = at + digits;
    for (; to - at >= 2; number /= 100) std::memcpy(to -= 2, decimal_pairs.digits[number % 100], 2);
    if (to != at) *at = static_cast<char>('0' + number % 10);
    return at + digits;
}

void append_number(std::string& text, std::uint64_t number, std::size_t width) {
    const fmt::format_int digits(number);
    if (digits.size() < width) text.append(width - digits.size(), ' ');
    text.append(digits.data(), digits.size());
}

void append_right(std::string& text, std::string_view word, std::size_t width) {
    if (word.size() < width) text.append(width - word.size(), ' ');
    text += word;
}

constexpr std::size_t misc_width = 6;

char* put_misc(char* at, const ScriptItem& item) {
    std::string_view mode;
    switch (item.mode) {
        case CpuMode::kernel: mode = "K"; break;
        case CpuMode::user: mode = "U"; break;
        case CpuMode::hypervisor: mode = "KUH"; break;
        case CpuMode::guest_kernel: mode = "KG"; break;
        case CpuMode::guest_user: mode = "UGg"; break;
        case CpuMode::unknown: break;
    }
    // perf tests the mode, which is a number, like a set of bits: 3 is "KU" and "H", too.
    at = put_text(at, mode);
    return std::fill_n(at, misc_width - mode.size(), ' ');
}

void append_registers(std::string& text, const std::optional<Registers<AnyOrder>>& registers, RegisterSet set) {
    if (!registers || registers->values().size() == 0) return;
    auto out = std::back_inserter(text);
    fmt::format_to(out, " ABI:{} ", registers->abi());
    registers->for_each([&](unsigned bit, std::uint64_t value) {
        const auto name = register_name(set, bit);
        if (set == RegisterSet::unknown) {
            fmt::format_to(out, "{:>5}:{:#x} ", fmt::format("reg{}", bit), value);
        } else {
            fmt::format_to(out, "{:>5}:{:#x} ", name.empty() ? std::string_view("unknown") : name, value);
        }
    });
}

// page_size(4096) returns "4K".
std::string page_size(std::uint64_t bytes) {
    if (bytes == 0) return "N/A";
    constexpr std::string_view units = "BKMG";
    std::size_t unit = 0;
    for (; bytes / 1024 != 0 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return fmt::format("{}{}", bytes, units[unit]);
}

// Prints the data of bpf_perf_event_output: lines of eight bytes, and the string that they may contain.
void append_bpf_output(std::string& text, Bytes bytes) {
    constexpr std::size_t bytes_a_line = 8;
    constexpr std::size_t label_width = 17;
    auto out = std::back_inserter(text);
    const auto is_graphic = [](std::byte byte) { return byte >= std::byte{0x20} && byte < std::byte{0x7f}; };
    text += '\n';
    for (std::size_t at = 0; at < bytes.size(); at += bytes_a_line) {
        append_right(text, at == 0 ? "BPF output:" : "           ", label_width);
        fmt::format_to(out, " {:04x}:", at);
        const auto line = bytes.subspan(at, std::min(bytes_a_line, bytes.size() - at));
        for (const auto byte : line) fmt::format_to(out, " {:02x}", std::to_integer<unsigned>(byte));
        text.append(3 * (bytes_a_line - line.size()), ' ');
        text += "  ";
        for (const auto byte : line) text += is_graphic(byte) ? static_cast<char>(byte) : '.';
        text.append(bytes_a_line - line.size(), ' ');
        text += '\n';
    }
    const auto end = std::ranges::find(bytes, std::byte{0});
    const auto graphic = std::all_of(bytes.begin(), end, is_graphic);
    if (graphic && end != bytes.end() && std::all_of(end, bytes.end(), [](std::byte b) { return b == std::byte{0}; })) {
        append_right(text, "BPF string:", label_width);
        text += " \"";
        for (auto at = bytes.begin(); at != end; ++at) text += static_cast<char>(*at);
        text += "\"\n";
    }
}

constexpr std::uint64_t page_faults = 2, minor_faults = 5, major_faults = 6;

// address_has_symbol(attr) returns true if perf looks for a symbol at the data address.
bool address_has_symbol(const Attr& attr) {
    return attr.type == attr_type::software &&
           (attr.config == page_faults || attr.config == minor_faults || attr.config == major_faults);
}

void append_address(std::string& text, const ScriptItem& item, Address address, ScriptFields fields,
                    ScriptLines& lines) {
    fmt::format_to(std::back_inserter(text), "{:16x}", address.value);
    if (!address_has_symbol(item.event.attr)) return;
    text += lines.text_at(item.moment, address, item.mode, ScriptLines::style(fields));
}

void append_branches(std::string& text, const ScriptItem& item, const BranchStack<AnyOrder>& branches,
                     ScriptFields fields, ScriptLines& lines) {
    auto out = std::back_inserter(text);
    const auto side = [&](char separator, Address address) {
        fmt::format_to(out, "{}{:#x}", separator, address.value);
        if ((fields & field_dso) == 0) return;
        // A sample has up to some thousand branches, with two objects each.
        fmt::format_to(out, "({})", lines.object(lines.places().find(item.moment, address, item.mode)));
    };
    for (std::size_t index = 0; index < branches.size(); ++index) {
        const auto branch = branches[index];
        side(' ', branch.from);
        side('/', branch.to);
        const auto type = branch_type_name(branch.type);
        const char predicted = branch.mispredicted ? 'M' : branch.predicted ? 'P' : '-';
        fmt::format_to(out, "/{}/{}/{}/{}/{} ", predicted, branch.in_transaction ? 'X' : '-',
                       branch.aborted ? 'A' : '-', branch.cycles, type.empty() ? std::string_view("-") : type);
    }
}

constexpr ScriptFields fields_in_front = field_addr | field_data_src | field_weight;
constexpr ScriptFields fields_behind = field_iregs | field_uregs | field_brstack | field_bpf_output | field_phys_addr |
                                       field_data_page_size | field_code_page_size;

}  // namespace

ScriptText::ScriptText(const Recording& recording, const FieldChoice& fields, bool nanoseconds, RegisterSet registers,
                       const TraceFormats& formats, PayloadOutput* payloads)
    : nanoseconds_(nanoseconds),
      formats_(formats),
      payloads_(payloads),
      registers_(registers),
      first_event_(recording.events().events().data()) {
    for (const auto& event : recording.events().events()) {
        const auto& attr = event.attr;
        OfEvent one{.name = shown(event.name), .fields = fields.of(attr), .has_any = fields.of(attr) != 0};
        if (!is_bpf_output(attr)) one.fields &= ~ScriptFields{field_bpf_output};  // spares decoding all of the sample
        name_width_ = std::max(name_width_, one.name.size());
        events_.push_back(std::move(one));
    }
    // One long name must not be there as blanks for each of many events.
    constexpr std::size_t most_column = 64;
    if (name_width_ > most_column) return;
    for (auto& one : events_) one.column = std::string(name_width_ - one.name.size(), ' ') + one.name + ": ";
}

void ScriptText::append(std::string& text, const ScriptItem& item, ScriptLines& lines) const {
    if (!of(item).has_any) return;
    const auto fields = of(item).fields;
    append_start(text, item, fields);
    if ((fields & field_trace) != 0 && item.raw) {
        ScriptTraceNames names(lines.places(), item.moment);
        formats_.append(text, item.event.attr.config, *item.raw, &names);
    }
    if ((fields & fields_in_front) != 0) {
        append_details(text, item, fields & (fields_in_front | ~fields_behind), lines);
    }
    if ((fields & field_ip) != 0) append_places(text, item);
    if ((fields & fields_behind) != 0) {
        append_details(text, item, fields & (fields_behind | ~fields_in_front), lines);
    }
    text += '\n';
}

// Writes all up to the name of the event without asking for room at each step.
void ScriptText::append_start(std::string& text, const ScriptItem& item, ScriptFields fields) const {
    constexpr std::size_t comm_width = 16, id_width = 5, period_width = 10, least_fraction = 3, most_fraction = 9;
    static_assert(period_width <= most_digits && misc_width <= most_digits);
    // Blanks and the like come to less than one number.
    constexpr std::size_t most_numbers = 5 * most_digits + least_fraction + most_fraction + misc_width + most_digits;
    const auto most = comm_width + item.comm.size() + most_numbers + name_width_;
    text.resize_and_overwrite(text.size() + most, [&, begin = text.size()](char* data, std::size_t) {
        auto* at = data + begin;
        if ((fields & field_comm) != 0) {
            at = put_right(at, item.comm, item.narrow_comm && (fields & field_ip) != 0 ? 0 : comm_width);
            *at++ = ' ';
        }
        const auto pid = signed_id(item.pid.value_or(Pid{~0u}).value);
        const auto tid = signed_id(item.tid.value_or(Tid{~0u}).value);
        if ((fields & field_pid) != 0 && (fields & field_tid) != 0) {
            at = put_id(at, pid, id_width);
            *at++ = '/';
            auto* const end = put_id(at, tid, 0);
            const auto written = static_cast<std::size_t>(end - at);
            at = written < id_width ? std::fill_n(end, id_width - written, ' ') : end;
            *at++ = ' ';
        } else if ((fields & (field_pid | field_tid)) != 0) {
            at = put_id(at, (fields & field_pid) != 0 ? pid : tid, id_width);
            *at++ = ' ';
        }
        if ((fields & field_cpu) != 0) {
            const auto cpu = signed_id(item.cpu.value_or(~0u));
            *at++ = '[';
            at = cpu >= 0 && cpu < 1000 ? put_fraction(at, static_cast<std::uint64_t>(cpu), 3)
                                        : fmt::format_to(at, "{:03}", cpu);
            *at++ = ']';
            *at++ = ' ';
        }
        if ((fields & field_misc) != 0) at = put_misc(at, item);
        if ((fields & field_time) != 0) at = put_time(at, item.time.value_or(Time{~std::uint64_t{0}}));
        if ((fields & field_period) != 0) {
            at = put_number(at, item.period, period_width);
            *at++ = ' ';
        }
        if ((fields & field_event) != 0) {
            const auto& event = of(item);
            at = event.column.empty() ? put_text(put_right(at, event.name, name_width_), ": ")
                                      : put_text(at, event.column);
        }
        return static_cast<std::size_t>(at - data);
    });
}

char* ScriptText::put_time(char* at, Time time) const {
    constexpr std::uint64_t second = 1'000'000'000;
    at = put_number(at, time.nanoseconds / second, 5);
    *at++ = '.';
    at = nanoseconds_ ? put_fraction(at, time.nanoseconds % second, 9)
                      : put_fraction(at, time.nanoseconds % second / 1000, 6);
    *at++ = ':';
    *at++ = ' ';
    return at;
}

void ScriptText::append_places(std::string& text, const ScriptItem& item) {
    if (item.has_chain) {
        std::size_t size = 1;
        for (const auto line : item.lines) size += line.size();
        text.resize_and_overwrite(text.size() + size, [&, begin = text.size()](char* data, std::size_t) {
            auto* at = data + begin;
            *at++ = '\n';
            for (const auto line : item.lines) at = put_line(at, line);
            return static_cast<std::size_t>(at - data);
        });
        return;
    }
    text.resize_and_overwrite(text.size() + 1 + hex_width, [&, begin = text.size()](char* data, std::size_t) {
        data[begin] = ' ';
        put_hex(data + begin + 1, item.ip.value_or(Address{0}).value);
        return begin + 1 + hex_width;
    });
    text += item.place_text;
}

void ScriptText::append_details(std::string& text, const ScriptItem& item, ScriptFields fields,
                                ScriptLines& lines) const {
    const auto sample = item.sample();
    const auto details = sample.details();
    auto out = std::back_inserter(text);
    if ((fields & field_addr) != 0) append_address(text, item, sample.addr().value_or(Address{0}), fields, lines);
    if ((fields & field_data_src) != 0) {
        const auto source = details.data_source().value_or(DataSource{});
        fmt::format_to(out, "{:16x} {}", source.word, describe(source));
    }
    if ((fields & field_weight) != 0) {
        const auto weight = details.weight().value_or(Weight{});
        append_number(text, weight.is_struct ? weight.first() : weight.word, 16);
    }
    if ((fields & field_iregs) != 0) append_registers(text, details.interrupt_registers(), registers_);
    if ((fields & field_uregs) != 0) append_registers(text, details.user_registers(), registers_);
    if ((fields & field_brstack) != 0) {
        if (const auto branches = details.branch_stack()) append_branches(text, item, *branches, fields, lines);
    }
    if ((fields & field_bpf_output) != 0 && item.is_bpf_output()) append_payload(text, item);
    if ((fields & field_phys_addr) != 0) {
        fmt::format_to(out, "{:16x}", details.physical_address().value_or(Address{0}).value);
    }
    if ((fields & field_data_page_size) != 0) text += " " + page_size(details.data_page_size().value_or(0));
    if ((fields & field_code_page_size) != 0) text += " " + page_size(details.code_page_size().value_or(0));
}

void ScriptText::append_payload(std::string& text, const ScriptItem& item) const {
    const RawPayload payload{item.sample().raw().value_or(Bytes()), item.record.order, item.btf};
    const auto before = text.size();
    text += "\n      BPF output: ";
    if (payloads_ != nullptr && payloads_->append(text, payload)) {
        text += '\n';
        return;
    }
    text.resize(before);
    append_bpf_output(text, payload.raw);
}

}  // namespace perfdata
