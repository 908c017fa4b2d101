// SPDX-License-Identifier: MIT
#include "perfdata/annotate/diff/diff_counting.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/timeline/code_filter.hpp"

#include "format/count_problems.hpp"
#include "format/words.hpp"
#include "report/unnamed_samples.hpp"
#include "report/without_samples.hpp"

namespace perfdata {
namespace {

// plain_event_name(event) returns its name without modifiers and parameters, as `-e` takes it: "cycles" for "cycles:u",
// "cpu-clock" for "cpu-clock/freq=999/". What tells events of one name apart, "#2", stays.
std::string plain_event_name(const Event& event) {
    const auto type = event.attr.type;
    const std::string_view own = event.perf_name;
    const std::string number = event.name.starts_with(own) ? event.name.substr(own.size()) : std::string();
    if (type == attr_type::hardware || type == attr_type::software || type == attr_type::cache) {
        return default_event_name(event.attr) + number;
    }
    // Of others, parameters say what they count.
    constexpr std::string_view letters = "ukhHGIpPSDWeb";
    const auto mark = own.find_last_of(":/");
    const bool has_modifiers = type != attr_type::tracepoint && mark != std::string_view::npos &&
                               own.find_first_not_of(letters, mark + 1) == std::string_view::npos;
    if (!has_modifiers) return event.name;
    return std::string(own.substr(0, own[mark] == '/' ? mark + 1 : mark)) + number;
}

// Returns how long was recorded, of the times that the filter chooses: from the first to the last sample of all, as the
// header says, else to the last of those that count. 0 if no sample has a time.
double recorded_seconds(const Recording& recording, const SampleCounts& counts, const SampleFilter& filter) {
    SampleTimes times{counts.first_time().value_or(Time{}), counts.last_time().value_or(Time{})};
    if (const auto bytes = recording.read_feature(Feature::sample_time)) {
        const auto told = SampleTimes::decode(Cursor(*bytes, recording.order(), {.where = "SAMPLE_TIME", .offset = 0}));
        if (told && told->known() && told->first <= told->last) times = *told;
    }
    constexpr double in_second = 1e9;
    const auto length = [](Time from, Time until) {
        return from < until ? static_cast<double>(until.nanoseconds - from.nanoseconds) / in_second : 0.0;
    };
    if (filter.times.empty()) return length(times.first, times.last);
    double sum = 0;
    for (const auto& range : filter.times) {
        sum += length(std::max(range.from, times.first), std::min(range.until, times.last));
    }
    return sum;
}

// DiffCounter adds up the rows of counts by what functions are called. All its tables are bounded by the distinct
// places that were counted (Limits::places); sorting them costs n log n comparisons of names.
class DiffCounter {
  public:
    DiffCounter(const Symbolizer& symbolizer, const SampleCounts& counts, DiffCounts& into)
        : symbolizer_(symbolizer), counts_(counts), into_(into) {}

    void add_functions() {
        const auto frames = counts_.frames();
        std::vector<std::uint32_t> function_of(frames.size(), none);
        std::vector<std::map<std::uint32_t, EventCount>> cells;
        std::vector<std::map<std::string, std::uint64_t>> versions;  // hits by function and id
        for (std::size_t row = 0; row < counts_.rows().size(); ++row) {
            const auto number = counts_.chains()[counts_.rows()[row].chain].frame;
            auto& function = function_of[number];
            if (function == none) {
                function = number_of(frames[number]);
                cells.resize(into_.functions.size());
                versions.resize(into_.functions.size());
            }
            auto& hits = versions[function][version_of(frames[number], number)];
            counts_.each_cell(row, [&](std::size_t column, const EventCount& cell) {
                cells[function][static_cast<std::uint32_t>(column)] += cell;
                hits = add_up_to_most(hits, cell.hits);
                if (frames[number].misses(Miss::not_kept)) not_kept_ = add_up_to_most(not_kept_, cell.hits);
            });
        }
        for (std::size_t at = 0; at < cells.size(); ++at) {
            for (const auto& [event, count] : cells[at]) into_.functions[at].cells.push_back({event, count});
            for (const auto& [id, hits] : versions[at]) into_.functions[at].versions.push_back({id, hits});
        }
        std::erase_if(into_.functions, [](const DiffFunction& one) { return one.cells.empty(); });
        std::ranges::sort(into_.functions, {}, [](const DiffFunction& one) { return std::tie(one.object, one.name); });
    }

    // Returns how many samples are in places that a limit left untold: they count as code without a name.
    std::uint64_t not_kept() const { return not_kept_; }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t number_of(const Frame& frame) {
        const auto name = symbolizer_.name(frame);
        note_kernel(frame, name);
        auto identity = std::pair(object_of(name), function_name(frame, name));
        const auto next = static_cast<std::uint32_t>(into_.functions.size());
        const auto [entry, is_new] = numbers_.try_emplace(std::move(identity), next);
        if (is_new) {
            into_.functions.push_back({entry->first.first, entry->first.second, name.kind, {}, {}, false});
        } else if (auto& known = into_.functions[entry->second]; known.kind != name.kind) {
            known.kind = CodeClass::unknown;
        }
        if (name.symbol.empty() && name.kind == CodeClass::user && is_about_file(name.miss)) {
            into_.functions[entry->second].lacks_file = true;
        }
        return entry->second;
    }

    void note_kernel(const Frame& frame, const FrameName& name) {
        const bool kernel =
            name.kind == CodeClass::kernel || name.kind == CodeClass::module || frame.misses(Miss::kernel);
        if (kernel && name.symbol.empty() && symbolizer_.kernel() == nullptr) into_.unnamed_kernel = true;
    }

    // What names BPF programs and JIT code in perf's words changes from run to run: tags, numbers of processes.
    static std::string object_of(const FrameName& name) {
        if (name.kind == CodeClass::bpf) return "[bpf]";
        if (name.kind == CodeClass::jit) return "[jit]";
        return object_label(name.object, name.kind);
    }

    std::string function_name(const Frame& frame, const FrameName& name) const {
        if (name.symbol.empty() || name.kind != CodeClass::bpf || !frame.is_code()) return std::string(name.symbol);
        return symbolizer_.bpf().plain_name(frame.index).full();
    }

    const std::string& version_of(const Frame& frame, std::uint32_t number) {
        const auto [entry, is_new] = versions_.try_emplace(number);
        if (is_new) entry->second = found_version(frame);
        return entry->second;
    }

    std::string found_version(const Frame& frame) const {
        if (const auto* code = symbolizer_.timeline().code_of(frame)) return tag_of(*code);
        if (frame.kind != FrameKind::object) return {};
        auto id = hex_bytes(symbolizer_.recorded_object(ObjectIndex{frame.index}).build_id.bytes());
        if (id.empty() && symbolizer_.name(frame).kind == CodeClass::kernel) {
            id = hex_bytes(symbolizer_.recorded_kernel().build_id.bytes());
        }
        return id;
    }

    // The symbol of a main function has the tag of its program or its own, by when it was loaded: the info tells.
    std::string tag_of(const Code& code) const {
        const auto parsed = parse_bpf_symbol(code.symbol);
        if (!code.load) return parsed ? std::string(parsed->tag) : std::string();
        const auto& load = symbolizer_.timeline().loads()[*code.load];
        if (load.info != nullptr && code.subprogram < load.info->tags()) {
            return hex(load.info->function_tag(code.subprogram));
        }
        if (code.subprogram != 0) return parsed ? std::string(parsed->tag) : std::string();
        return load.function_count() > 1 ? std::string() : hex(load.tag);
    }

    const Symbolizer& symbolizer_;
    const SampleCounts& counts_;
    DiffCounts& into_;
    std::uint64_t not_kept_ = 0;
    std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;  // functions, by object and name
    std::map<std::uint32_t, std::string> versions_;                         // by number of the frame
};

SampleCountOptions counting_for_diff(const Symbolizer& symbolizer, const DiffCountOptions& options) {
    SampleCountOptions counting;
    counting.by_comm = false;
    counting.jit = &symbolizer.jit();
    counting.functions = &symbolizer.functions();
    counting.by_name = true;
    counting.fold = [&symbolizer](const Frame& frame) { return symbolizer.function(frame); };
    counting.filter = options.filter;
    counting.stop = options.stop;
    counting.progress = options.progress;
    counting.jobs = options.jobs;
    return counting;
}

}  // namespace

Result<DiffCounts> count_for_diff(const Recording& recording, const Symbolizer& symbolizer,
                                  const DiffCountOptions& options) {
    return catch_bad_alloc([&]() -> Result<DiffCounts> {
        const auto counts =
            SampleCounts::count(recording, symbolizer.timeline(), counting_for_diff(symbolizer, options));
        if (!counts) return fail(counts.error());
        DiffCounts made;
        made.recording = RecordingFacts::of(recording, *counts);
        made.seconds = recorded_seconds(recording, *counts, options.filter);
        const auto& whole = options.relative ? counts->totals() : counts->considered();
        for (std::size_t column = 0; column < counts->events().size(); ++column) {
            const auto& event = recording.events().events()[counts->events()[column]];
            made.events.push_back({event.name, plain_event_name(event), whole[column], counts->totals()[column]});
        }
        DiffCounter counter(symbolizer, *counts, made);
        counter.add_functions();
        made.dropped = dropped_samples(counts->dropped());
        made.completeness = symbolizer.timeline().completeness();
        made.completeness.diagnostics.append(symbolizer.losses());
        for (auto& problem : count_problems(recording, *counts)) made.completeness.diagnostics.add(std::move(problem));
        if (const auto samples = counter.not_kept(); samples != 0) {
            made.completeness.diagnostics.add({ErrorCode::limit, Error::no_offset, "functions",
                                               fmt::format("{} samples are in more places than there is room for: they "
                                                           "count as code without a name",
                                                           samples)});
        }
        made.without_samples = without_samples(recording, made.completeness);
        if (auto text = WithoutBuildId::count(*counts, symbolizer).sampled_text(); !text.empty()) {
            made.notes.push_back(std::move(text));
        }
        std::ranges::move(UnnamedSamples::count(*counts, symbolizer).notes(), std::back_inserter(made.notes));
        return made;
    });
}

}  // namespace perfdata
