// SPDX-License-Identifier: MIT
// perfdata dump: every record with every field.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <set>
#include <span>
#include <vector>

#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/sample/fields.hpp"

#include "../words.hpp"
#include "tool.hpp"

namespace perfdata::tool {
namespace {

struct DumpOptions {
    Common common;
    std::vector<std::string> types;
    std::vector<std::string> events;
    std::string time;
    std::string order = "file";
};

std::string hex_bytes(Bytes bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const auto byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

// JsonFields is a FieldVisitor that writes members of the JSON object that is open.
class JsonFields {
  public:
    using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

    explicit JsonFields(Writer& writer) : writer_(writer) {}
    // Fields of a record behind what all records have: of these names, `taken` are in the object already. Some records
    // have a type, a size or a time of their own, which is called event_update_type, auxtrace_size, fork_time.
    JsonFields(Writer& writer, std::span<const std::string_view> taken, std::string_view type)
        : writer_(writer), taken_(taken), type_(type) {}

    template <class T>
    void operator()(std::string_view name, const T& content) {
        if (std::ranges::find(taken_, name) == taken_.end()) {
            writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
        } else {
            std::string longer;
            for (const char c : type_) longer += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            longer += '_';
            longer += name;
            writer_.Key(longer.data(), static_cast<rapidjson::SizeType>(longer.size()));
        }
        value(content);
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
        writer_.StartArray();
        JsonFields element(writer_);
        for (std::size_t index = 0; index < count; ++index) {
            writer_.StartObject();
            at(index, element);
            writer_.EndObject();
        }
        writer_.EndArray();
    }

  private:
    void value(bool truth) { writer_.Bool(truth); }
    void value(double number) { writer_.Double(std::isfinite(number) ? number : 0.0); }
    template <std::unsigned_integral T>
    void value(T number) {
        writer_.Uint64(number);
    }
    template <std::signed_integral T>
    void value(T number) {
        writer_.Int64(number);
    }
    void value(Address address) { value(std::string_view(hex(address))); }
    void value(Time time) { value(std::string_view(seconds(time))); }
    void value(Bytes bytes) { value(std::string_view(hex_bytes(bytes))); }
    void value(std::string_view text) {
        const auto valid = utf8(text);
        writer_.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
    }
    template <class Order>
    void value(const AddressWords<Order>& addresses) {
        writer_.StartArray();
        for (const auto address : addresses.words) value(Address{address});
        writer_.EndArray();
    }
    template <FieldArray T>
    void value(const T& array) {
        writer_.StartArray();
        for (std::size_t index = 0; index < array.size(); ++index) value(array[index]);
        writer_.EndArray();
    }

    Writer& writer_;
    std::span<const std::string_view> taken_;
    std::string_view type_;
};

// TextFields is a FieldVisitor that appends "name value" pairs to a line.
class TextFields {
  public:
    explicit TextFields(std::string& text) : text_(text) {}

    template <class T>
    void operator()(std::string_view name, const T& content) {
        fmt::format_to(std::back_inserter(text_), " {} ", printable(name));
        value(content);
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        fmt::format_to(std::back_inserter(text_), " {} {{", printable(name));
        for (std::size_t index = 0; index < count; ++index) {
            if (index != 0) text_ += " |";
            at(index, *this);
        }
        text_ += " }";
    }

  private:
    void value(bool truth) { text_ += truth ? "yes" : "no"; }
    template <std::integral T>
    void value(T number) {
        fmt::format_to(std::back_inserter(text_), "{}", number);
    }
    void value(double number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
    void value(Address address) { text_ += hex(address); }
    void value(Time time) { text_ += seconds(time); }
    void value(Bytes bytes) { text_ += bytes.empty() ? "-" : hex_bytes(bytes); }
    void value(std::string_view text) { text_ += text.empty() ? "-" : printable(text); }
    template <class Order>
    void value(const AddressWords<Order>& addresses) {
        text_ += '[';
        for (const auto address : addresses.words) text_ += ' ' + hex(Address{address});
        text_ += " ]";
    }
    template <FieldArray T>
    void value(const T& array) {
        text_ += '[';
        for (std::size_t index = 0; index < array.size(); ++index) {
            fmt::format_to(std::back_inserter(text_), "{}{}", index == 0 ? "" : " ", array[index]);
        }
        text_ += ']';
    }

    std::string& text_;
};

std::string type_name(const RecordView& record) {
    const auto type = record.header().type;
    const auto name = record_type_name(type);
    return name.empty() ? std::to_string(type) : std::string(name);
}

// Which records are shown.
struct Filter {
    std::set<std::string> types;
    std::set<std::uint32_t> events;  // empty: all
    Time from;
    Time until = Time::forever();

    bool type_wanted(const RecordView& record) const { return types.empty() || types.contains(type_name(record)); }
    bool wanted(const RecordContext& context) const {
        return type_wanted(context.view) && context.time >= from && context.time <= until &&
               (events.empty() || events.contains(context.event));
    }
};

// Dump is the visitor of the walk.
class Dump {
  public:
    Dump(const Recording& recording, const Filter& filter, bool json, const Sink& sink)
        : recording_(recording),
          filter_(filter),
          json_(json),
          sink_(sink),
          registers_(register_set(recording.arch())) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        if (!filter_.wanted(context)) return;
        line(context, sample.time(), [&](auto&& visit) { sample_fields(sample, registers_, visit); });
    }
    template <class R>
    void operator()(const RecordContext& context, const R& record) {
        if (!filter_.wanted(context)) return;
        line(context, context.trailer.time, [&](auto&& visit) {
            record.fields(visit);
            trailer_fields(context.trailer, visit);
        });
    }
    void unknown(const RecordView& record) {
        if (!filter_.type_wanted(record) || !filter_.events.empty()) return;
        line({record, RecordContext::no_event, {}, {}}, {},
             [&](auto&& visit) { visit("unknown", record.bytes.subspan(RecordHeader::bytes)); });
    }
    void damaged(const RecordView& record, const Error& error) {
        if (!filter_.type_wanted(record)) return;
        line({record, RecordContext::no_event, {}, {}}, {},
             [&](auto&& visit) { visit("damaged", std::string_view(error.detail)); });
    }

    void flush() {
        sink_(text_);
        text_.clear();
    }

  private:
    static constexpr std::size_t block_bytes = std::size_t{256} << 10;

    // What the trailer adds; a synthesized record's is all zero.
    template <class Visit>
    static void trailer_fields(const Trailer& trailer, Visit&& visit) {
        if (trailer.pid) visit("sample_pid", trailer.pid->value);
        if (trailer.tid) visit("sample_tid", trailer.tid->value);
        if (trailer.id) visit("sample_id", trailer.id->value);
        if (trailer.stream_id) visit("sample_stream_id", *trailer.stream_id);
        if (trailer.cpu) visit("sample_cpu", *trailer.cpu);
    }

    template <class Fields>
    void line(const RecordContext& context, std::optional<Time> time, Fields&& fields) {
        const auto header = context.view.header();
        const auto* event =
            context.event == RecordContext::no_event ? nullptr : &recording_.events().events()[context.event];
        if (json_) {
            buffer_.Clear();
            JsonFields::Writer writer(buffer_);
            JsonFields visit(writer);
            writer.StartObject();
            visit("offset", context.view.offset);
            if (context.view.unpacked) visit("unpacked", true);
            visit("type", std::string_view(type_name(context.view)));
            visit("size", header.size);
            visit("misc", header.misc);
            if (time) visit("time", *time);
            if (event != nullptr) visit("event", std::string_view(event->name));
            constexpr std::string_view taken[] = {"offset", "type", "size", "misc", "event", "time"};
            const auto count = time ? std::size(taken) : std::size(taken) - 1;
            const auto type = type_name(context.view);
            fields(JsonFields(writer, std::span(taken).first(count), type));
            writer.EndObject();
            text_.append(buffer_.GetString(), buffer_.GetSize());
        } else {
            fmt::format_to(std::back_inserter(text_), "{:#x} [{:#x}]: {}", context.view.offset, header.size,
                           type_name(context.view));
            TextFields visit(text_);
            if (header.misc != 0) fmt::format_to(std::back_inserter(text_), " misc {:#x}", header.misc);
            if (time) visit("time", *time);
            if (event != nullptr && context.view.type() == RecordType::sample) {
                visit("event", std::string_view(event->name));
            }
            fields(visit);
        }
        text_ += '\n';
        if (text_.size() >= block_bytes) flush();
    }

    const Recording& recording_;
    const Filter& filter_;
    bool json_;
    const Sink& sink_;
    RegisterSet registers_;
    rapidjson::StringBuffer buffer_;
    std::string text_;
};

// parse_seconds("475.4682") is a time; empty text is nothing.
std::optional<Time> parse_seconds(std::string_view text) {
    std::uint64_t whole = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (problem != std::errc{} || whole > Time::forever().nanoseconds / 1'000'000'000) return {};
    std::uint64_t nanoseconds = whole * 1'000'000'000;
    std::string_view fraction(end, text.data() + text.size());
    if (fraction.empty()) return Time{nanoseconds};
    if (fraction.front() != '.' || fraction.size() > 10) return {};
    std::uint64_t unit = 100'000'000;
    for (const char digit : fraction.substr(1)) {
        if (digit < '0' || digit > '9') return {};
        nanoseconds += static_cast<std::uint64_t>(digit - '0') * unit;
        unit /= 10;
    }
    return Time{nanoseconds};
}

Result<Filter> make_filter(const DumpOptions& options, const Recording& recording) {
    Filter filter;
    for (const auto& type : options.types) {
        auto name = type;
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        constexpr std::string_view prefix = "PERF_RECORD_";
        filter.types.insert(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
    }
    const auto& events = recording.events().events();
    for (const auto& wanted : options.events) {
        const auto found = std::ranges::find(events, wanted, &Event::name);
        if (found == events.end()) {
            return fail(ErrorCode::missing, Error::no_offset, "--event", "no event " + wanted + " in this recording");
        }
        filter.events.insert(static_cast<std::uint32_t>(found - events.begin()));
    }
    if (!options.time.empty()) {
        // As in perf: START,END in seconds; either may be empty.
        const auto comma = options.time.find(',');
        const auto start = std::string_view(options.time).substr(0, comma);
        const auto end =
            comma == std::string::npos ? std::string_view{} : std::string_view(options.time).substr(comma + 1);
        const auto from = parse_seconds(start);
        const auto until = parse_seconds(end);
        if ((!start.empty() && !from) || (!end.empty() && !until)) {
            return fail(ErrorCode::malformed, Error::no_offset, "--time",
                        "expected START,END in seconds such as 12.5,13.25; got " + options.time);
        }
        filter.from = from.value_or(Time{});
        filter.until = until.value_or(Time::forever());
    }
    return filter;
}

int run(const DumpOptions& options) {
    const auto give_up = [](const Error& error) {
        complain(error);
        return failed;
    };
    const auto recording = Recording::open(options.common.file);
    if (!recording) return give_up(recording.error());
    const auto filter = make_filter(options, *recording);
    if (!filter) return give_up(filter.error());
    auto output = Output::open(options.common.output);
    if (!output) return give_up(output.error());
    const auto sink = output->sink();
    Completeness completeness;
    completeness.diagnostics = DiagnosticLog(recording->limits().diagnostics);
    completeness.diagnostics.append(recording->diagnostics());
    Dump dump(*recording, *filter, options.common.json, sink);
    const auto order = options.order == "time" ? RecordOrder::time : RecordOrder::file;
    if (auto walked = walk(*recording, completeness, dump, {.order = order, .stop = {}}); !walked) {
        return give_up(walked.error());
    }
    dump.flush();
    if (auto committed = output->commit(); !committed) return give_up(committed.error());
    warn_losses(options.common, completeness);
    return exit_code(options.common, completeness);
}

}  // namespace

void add_dump(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("dump", "Show every record with every field");
    auto options = std::make_shared<DumpOptions>();
    options->common.add_to(*command);
    command
        ->add_option("--type", options->types,
                     "Only records of this type: KSYMBOL, SAMPLE, ... or a number. May be given several times")
        ->allow_extra_args(false);
    command->add_option("-e,--event", options->events, "Only records of this event. May be given several times")
        ->allow_extra_args(false);
    command->add_option("--time", options->time, "Only records between two times: START,END in seconds");
    command->add_option("--order", options->order, "file: as they lie there; time: in exact order of time")
        ->check(CLI::IsMember({"file", "time"}));
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace perfdata::tool
