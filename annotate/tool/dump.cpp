// SPDX-License-Identifier: MIT
// perfdata dump: every record with every field.
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/sample/fields.hpp"

#include "tool.hpp"
#include "tool/dump/dump_aux.hpp"
#include "tool/dump/dump_filter.hpp"
#include "tool/dump/dump_lines.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/register_names.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/options/time_choice.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct DumpOptions {
    Common common;
    std::vector<std::string> types;
    std::vector<std::string> events;
    std::string time;
    std::string order = "file";
    std::string aux;
};

// Dump visits the records of the walk.
class Dump {
  public:
    Dump(const Recording& recording, const DumpFilter& filter, RegisterSet registers, DumpLines& lines)
        : recording_(recording),
          filter_(filter),
          lines_(lines),
          registers_(registers),
          deferred_(DeferredChains::read(recording)) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        if (!filter_.wanted(context)) return;
        lines_.line(context.view, sample.time(), event_of(context), [&](auto&& visit) {
            sample_fields(sample, registers_, visit);
            deferred_fields(sample, visit);
            word_fields(sample, visit);
        });
    }
    template <class R>
    void operator()(const RecordContext& context, const R& record) {
        const auto named = event_named_in(record);
        if (!(named ? filter_.wanted(context, *named) : filter_.wanted(context))) return;
        const auto* event = named ? &recording_.events().events()[*named] : event_of(context);
        lines_.line(context.view, context.trailer.time, event, [&](auto&& visit) {
            record.fields(visit);
            word_fields(record, visit);
            trailer_fields(context.trailer, visit);
        });
    }
    void unknown(const RecordView& record) {
        if (!filter_.type_wanted(record) || !filter_.events.empty()) return;
        lines_.line(record, {}, nullptr,
                    [&](auto&& visit) { visit("unknown", record.bytes.subspan(RecordHeader::bytes)); });
    }
    void damaged(const RecordView& record, const Error& error) {
        if (!filter_.type_wanted(record)) return;
        lines_.line(record, {}, nullptr, [&](auto&& visit) { visit("damaged", std::string_view(error.detail)); });
    }

  private:
    const Event* event_of(const RecordContext& context) const {
        if (context.event == RecordContext::no_event) return nullptr;
        return &recording_.events().events()[context.event];
    }

    // STAT and EVENT_UPDATE records carry the event's id among their fields.
    template <class R>
    std::optional<std::uint32_t> event_named_in(const R& record) const {
        if constexpr (std::is_same_v<R, Stat> || std::is_same_v<R, EventUpdate>) {
            if (const auto event = recording_.events().find(record.id.value)) return *event;
        }
        return {};
    }

    // Visits the user part of a call chain that a CALLCHAIN_DEFERRED record holds, for the sample. Any number of
    // samples may share it, so only the innermost frames are shown; the record itself shows all.
    template <class Order, class Visit>
    void deferred_fields(const BasicSample<Order>& sample, Visit&& visit) const {
        const auto chain = sample.callchain();
        const auto cookie = chain ? deferred_cookie(*chain) : std::nullopt;
        if (!cookie) return;
        const auto rest = deferred_.find(sample.tid().value_or(Tid{}), sample.time().value_or(Time{}), *cookie);
        if (!rest) return;
        constexpr std::size_t most = 127;  // the kernel's default (kernel.perf_event_max_stack)
        const auto some = rest->first(std::min(rest->size(), most));
        visit("user_callchain", AddressWords<AnyOrder>{{std::as_bytes(some).data(), some.size(), AnyOrder{}}});
        if (some.size() != rest->size()) {
            visit("user_callchain_more", std::uint64_t{rest->size() - some.size()});
        }
    }

    // Visits the fields of the trailer (sample_id). All are zero in synthesized records.
    template <class Visit>
    static void trailer_fields(const Trailer& trailer, Visit&& visit) {
        if (trailer.pid) visit("sample_pid", trailer.pid->value);
        if (trailer.tid) visit("sample_tid", trailer.tid->value);
        if (trailer.id) visit("sample_id", trailer.id->value);
        if (trailer.stream_id) visit("sample_stream_id", *trailer.stream_id);
        if (trailer.cpu) visit("sample_cpu", *trailer.cpu);
    }

    const Recording& recording_;
    const DumpFilter& filter_;
    DumpLines& lines_;
    RegisterSet registers_;
    DeferredChains deferred_;
};

// Option syntax is already checked: only what depends on the recording can fail here.
Result<DumpFilter> make_filter(const DumpOptions& options, const Recording& recording) {
    DumpFilter filter;
    for (const auto& type : options.types) {
        const auto number = parse_record_type(type);
        if (!number) return fail(number.error());
        filter.types.insert(*number);
    }
    const auto events = chosen_events(recording, options.events);
    if (!events) return fail(events.error());
    filter.events.insert(events->begin(), events->end());
    auto times = chosen_times(recording, options.time);
    if (!times) return fail(times.error());
    filter.times = std::move(*times);
    return filter;
}

Result<void> dump(const DumpOptions& options, const Recording& recording, const Sink& sink, Progress progress,
                  Completeness& completeness) {
    DumpLines lines(options.common.json, sink);
    if (!options.aux.empty()) {
        // On failure the files that the lines name do not exist.
        auto done = extract_aux(recording, options.aux, options.common, lines, completeness);
        if (done) lines.flush();
        return done;
    }
    const auto filter = make_filter(options, recording);
    if (!filter) return fail(filter.error());
    const auto registers = register_names(recording, nullptr);
    if (!registers.note.empty() && !options.common.quiet) complain("note: " + registers.note);
    Dump visit(recording, *filter, register_set(registers.arch), lines);
    const auto order = options.order == "time" ? RecordOrder::time : RecordOrder::file;
    auto walked = walk(recording, completeness, visit, {.order = order, .stop = {}, .progress = std::move(progress)});
    lines.flush();
    return walked;
}

int run(const DumpOptions& options) {
    Session session(options.common);
    if (!session.open()) return failed;
    const auto& recording = session.recording();
    if (refuses_profile(recording, "perfdata dump", "records")) return usage;
    auto output = session.open_output();
    if (!output) return failed;
    Completeness completeness;
    completeness.diagnostics = DiagnosticLog(recording.limits().diagnostics);
    completeness.diagnostics.append(recording.diagnostics());
    const auto done =
        dump(options, recording, output->sink(), session.progress("writing records", *output), completeness);
    session.end_progress();
    if (!done) return session.give_up(done.error());
    if (!session.commit(*output)) return failed;
    session.warn(completeness);
    return session.exit_code(completeness);
}

}  // namespace

void add_dump(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "dump",
        "Show every record with every field\n"
        "\n"
        "  perfdata dump                       all of them, as they lie in the file\n"
        "  perfdata dump --type KSYMBOL        those of one type\n"
        "  perfdata dump --order time --json   in exact order of time, one JSON object a line\n"
        "  perfdata dump --aux trace           the data of Intel PT, Arm SPE and the like, as files");
    auto options = std::make_shared<DumpOptions>();
    options->common.add_to(*command, {Format::text, Format::json_lines});
    auto* type = command
                     ->add_option("--type", options->types,
                                  "Only records of this type: KSYMBOL, SAMPLE, ... or a number. May be given several "
                                  "times")
                     ->allow_extra_args(false)
                     ->check(checked(parse_record_type), "")
                     ->type_name("TYPE");
    auto* event = command
                      ->add_option("-e,--event", options->events,
                                   "Only records of this event, such as cycles. May be given several times")
                      ->allow_extra_args(false)
                      ->type_name("EVENT");
    auto* time = add_time(*command, options->time, "Only records of these times");
    auto* order = command
                      ->add_option("--order", options->order,
                                   "file (the default): as they lie there; time: in exact order of time")
                      ->check(one_of({"file", "time"}));
    command
        ->add_option("--aux", options->aux,
                     "Write the AUX data (of Intel PT, Arm SPE and the like) as it is, undecoded, to files "
                     "PREFIX.cpuN.idxM or PREFIX.tidN.idxM, and show the AUXTRACE records with their places there")
        ->type_name("PREFIX")
        ->excludes(type)
        ->excludes(event)
        ->excludes(time)
        ->excludes(order);
    begin_anew(*command, options);
    options->common.on_run(*command, exit, [options] { return run(*options); });
}

}  // namespace perfdata::tool
