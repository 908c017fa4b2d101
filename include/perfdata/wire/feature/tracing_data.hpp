// SPDX-License-Identifier: MIT
// TRACING_DATA (1), and the bytes behind the pipe's record HEADER_TRACING_DATA (66): the formats of tracepoint
// events. tracing_data_put in tools/perf/util/trace-event-info.c.
#pragma once

#include <charconv>
#include <optional>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

// TraceFormat is the text of one `format` file of tracefs; it lives as long as the section.
struct TraceFormat {
    std::string_view system;  // "sched"; "ftrace" for ftrace's own
    std::string_view text;    // "name: sched_switch", "ID: 316", its fields and how to print them, as the kernel has it

    // id() returns Attr::config of the event, name() its name; each call searches the text. Empty if the text has no
    // such line.
    std::optional<std::uint32_t> id() const {
        const auto value = line("ID:");
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        return error == std::errc{} ? std::optional(number) : std::nullopt;
    }
    std::string_view name() const { return line("name:"); }  // as in tracefs; empty if the text has no such line

  private:
    // line(key) returns the text after the key on the first line that begins with it.
    std::string_view line(std::string_view key) const {
        for (auto rest = text; !rest.empty();) {
            const auto end = rest.find('\n');
            auto here = rest.substr(0, end);
            if (here.starts_with(key)) {
                here.remove_prefix(key.size());
                here.remove_prefix(least(here.find_first_not_of(' '), here.size()));
                return here;
            }
            if (end == std::string_view::npos) break;
            rest.remove_prefix(end + 1);
        }
        return {};
    }
};

// TracingData reads the parts one after the other. Integers are in the byte order stated in the blob itself.
//
//     17 08 44 "tracing" . version, NUL . u8 big_endian . u8 long_size . u32 page_size .
//     "header_page", NUL . u64 size . text . "header_event", NUL . u64 size . text .
//     u32 count . count x { u64 size . format } .
//     u32 systems . systems x { name, NUL . u32 count . count x { u64 size . format } } .
//     u32 size . kallsyms . u32 size . printk formats . [u64 size . command lines, since version 0.6]
//
// In a pipe zeros may follow.
class TracingData {
  public:
    // Tail is what follows the formats, as in tracefs. It lives as long as the section.
    struct Tail {
        std::string_view kallsyms;        // empty in all but ancient recordings
        std::string_view printk_formats;  // printk_formats: one address and format string per line
        std::string_view command_lines;   // saved_cmdlines: one pid and command per line; empty before version 0.6
    };

    // decode(in) reads everything up to the formats; the order of `in` does not matter.
    static Result<TracingData> decode(Cursor in);

    std::string_view version() const { return version_; }            // "0.6", or "0.5" of older perf
    AnyOrder order() const { return in_.order(); }                   // of its integers; that of the recording machine
    std::uint8_t long_size() const { return long_size_; }            // bytes of the kernel's `long`
    std::uint32_t page_size() const { return page_size_; }           // bytes
    std::string_view header_page() const { return header_page_; }    // format of a ring buffer page
    std::string_view header_event() const { return header_event_; }  // format of a ring buffer entry

    // next() returns the next format, first ftrace's, then each system's; empty at the end. After an error the rest of
    // the blob cannot be framed.
    Result<std::optional<TraceFormat>> next();
    // tail() returns what follows the formats, whether or not they have been read. In damaged blobs it cannot be found.
    Result<Tail> tail() const;

  private:
    TracingData(Cursor in, std::string_view version) : in_(in), version_(version) {}

    bool has_command_lines() const;
    static std::string_view sized_text(Cursor& in, std::uint64_t size) { return as_text(in.bytes(size)); }

    static constexpr std::string_view ftrace = "ftrace";
    static constexpr std::size_t least_system_bytes = 5;

    Cursor in_;
    std::string_view version_;
    std::uint8_t long_size_ = 0;
    std::uint32_t page_size_ = 0;
    std::string_view header_page_, header_event_;
    std::string_view system_ = ftrace;
    std::uint32_t formats_left_ = 0;
    std::optional<std::uint32_t> systems_left_;  // empty: still in ftrace's formats
};

inline Result<TracingData> TracingData::decode(Cursor in) {
    constexpr std::string_view magic = "\x17\x08\x44tracing";
    const auto start = in;
    if (as_text(in.bytes(magic.size())) != magic) {
        return in.ok() ? start.contradiction("no tracing data: another magic") : in.failure("the magic");
    }
    const auto version = in.terminated_string();
    const auto endian = in.u8();
    if (!in.ok()) return in.failure("the version or the byte order");
    if (endian > 1) return in.contradiction("byte order " + std::to_string(endian) + "; known are 0 and 1");

    // From here on in the blob's own byte order.
    const auto offset = in.file_offset();
    TracingData data(Cursor(in.rest(), AnyOrder(endian == 1 ? std::endian::big : std::endian::little),
                            {.where = "tracing data", .offset = offset}),
                     version);
    auto& own = data.in_;
    data.long_size_ = own.u8();
    data.page_size_ = own.u32();
    for (auto [name, text] : {std::pair{std::string_view("header_page"), &data.header_page_},
                              std::pair{std::string_view("header_event"), &data.header_event_}}) {
        const auto before = own;
        const auto found = own.terminated_string();
        if (!own.ok()) return own.failure(name);
        if (found != name) return before.contradiction(std::string(name) + " expected");
        *text = sized_text(own, own.u64());
    }
    data.formats_left_ = own.u32();
    if (!own.ok()) return own.failure("header_page, header_event and the count of formats");
    return data;
}

inline Result<std::optional<TraceFormat>> TracingData::next() {
    while (formats_left_ == 0) {
        if (!in_.ok()) return in_.failure("a format");
        if (!systems_left_) {
            systems_left_ = in_.u32();
            if (!in_.fits(*systems_left_, least_system_bytes)) return in_.failure("the table of systems");
        }
        if (*systems_left_ == 0) return std::nullopt;
        --*systems_left_;
        system_ = in_.terminated_string();
        formats_left_ = in_.u32();
        if (!in_.ok()) return in_.failure("a system");
    }
    if (!in_.fits(formats_left_, 8)) {
        return in_.failure(std::to_string(formats_left_) + " formats of " + std::string(system_));
    }
    --formats_left_;
    const auto text = sized_text(in_, in_.u64());
    if (!in_.ok()) return in_.failure("a format of " + std::string(system_));
    return TraceFormat{system_, text};
}

inline Result<TracingData::Tail> TracingData::tail() const {
    auto walk = *this;
    for (;;) {
        const auto format = walk.next();
        if (!format) return fail(format.error());
        if (!*format) break;
    }
    auto& in = walk.in_;
    Tail tail;
    tail.kallsyms = sized_text(in, in.u32());
    tail.printk_formats = sized_text(in, in.u32());
    if (has_command_lines()) tail.command_lines = sized_text(in, in.u64());
    if (!in.ok()) return in.failure("kallsyms, printk formats or command lines");
    return tail;
}

inline bool TracingData::has_command_lines() const {
    unsigned major = 0;
    unsigned minor = 0;
    const auto* end = version_.data() + version_.size();
    const auto dot = std::from_chars(version_.data(), end, major);
    if (dot.ptr != end && *dot.ptr == '.') std::from_chars(dot.ptr + 1, end, minor);
    return major > 0 || minor >= 6;
}

}  // namespace perfdata
