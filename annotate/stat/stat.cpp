// SPDX-License-Identifier: MIT
#include "perfdata/annotate/stat/stat.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/record/cpu_map.hpp"
#include "perfdata/wire/record/event_update.hpp"
#include "perfdata/wire/record/stat_config.hpp"
#include "perfdata/wire/record/stat_round.hpp"
#include "perfdata/wire/record/thread_map.hpp"

#include "format/words.hpp"
#include "stat_programs.hpp"
#include "stat_rows.hpp"

namespace perfdata {
namespace {

// Rows without a value cost space that the recording does not have: a map of CPUs is short. Each value pays for some.
constexpr std::uint64_t free_rows = 1 << 16, rows_a_value = 32;
// Likewise CPUs of events, which a record of 32 bytes may name by the ten thousand.
constexpr std::size_t most_event_cpus = 1 << 20;

// Returns major and minor of "6.1.187" as 601; 0 if the text is none.
unsigned version_number(std::string_view text) {
    unsigned parts[2] = {};
    for (auto& part : parts) {
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), part);
        if (problem != std::errc{}) break;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.starts_with('.')) break;
        text.remove_prefix(1);
    }
    constexpr unsigned most = 10000;
    return std::min(parts[0], most) * 100 + std::min(parts[1], 99u);
}

bool groups_cpus(StatMode mode) {
    return mode == StatMode::socket || mode == StatMode::die || mode == StatMode::core || mode == StatMode::node ||
           mode == StatMode::cache;
}

// StatReader takes the records in the order of the file.
class StatReader {
  public:
    StatReader(const Recording& recording, const StatOptions& options, const StatTake& take, StatReading& reading)
        : recording_(recording), options_(options), take_(take), reading_(reading) {
        auto& facts = reading_.facts;
        const auto& events = recording.events().events();
        for (const auto& event : events) {
            // perf counts clocks in nanoseconds and shows milliseconds, even if no record says so.
            const bool is_clock = StatRole::of(event.attr, {}).kind == StatKind::clock;
            facts.events.push_back({event.perf_name, is_clock ? "msec" : "", is_clock ? 1e-6 : 1, false});
        }
        facts.command_line = recording.command_line();
        const auto version = version_number(recording.perf_version());
        writes_indices_ = version != 0 && version < 517;
        own_cpus_.resize(events.size());
    }

    void operator()(const RecordContext& context, const EventUpdate& update) {
        const auto event = event_of(update.id);
        if (!event) return tell(context, ErrorCode::malformed, "the event id in it belongs to no event");
        auto& facts = reading_.facts.events[*event];
        switch (static_cast<EventUpdate::Kind>(update.kind)) {
            case EventUpdate::Kind::unit: facts.unit = update.unit; return;
            case EventUpdate::Kind::scale: facts.scale = update.scale; return;
            case EventUpdate::Kind::name: facts.name = update.name; return;
            case EventUpdate::Kind::cpus: return update_cpus(context, *event, update.cpus);
        }
    }

    void operator()(const RecordContext& context, const ThreadMap& map) {
        if (has_threads_) return tell(context, ErrorCode::malformed, "a second one, which is not used");
        has_threads_ = true;
        auto& threads = reading_.facts.threads;
        for (std::size_t index = 0; index < map.size(); ++index) {
            const auto thread = map.thread(index);
            threads.push_back({static_cast<std::int32_t>(thread.pid & 0xffffffff), std::string(thread.comm)});
        }
    }

    void operator()(const RecordContext& context, const CpuMap& map) {
        if (has_cpus_) return tell(context, ErrorCode::malformed, "a second one, which is not used");
        if (map.cpus.kind > static_cast<std::uint16_t>(CpuMapData::Kind::range)) {
            return tell(context, ErrorCode::unsupported, "a form of newer recorders");
        }
        has_cpus_ = true;
        cpus_ = StatCpus(map.cpus);
        reading_.facts.per_cpu = !cpus_.is_any();
    }

    void operator()(const RecordContext& context, const StatConfig& config) {
        if (std::exchange(reading_.has_config, true)) {
            return tell(context, ErrorCode::malformed, "a second one, which is not used");
        }
        auto& facts = reading_.facts;
        std::optional<std::uint64_t> mode;
        std::optional<std::uint64_t> level;
        for (std::size_t index = 0; index < config.size(); ++index) {
            const auto [tag, value] = config.term(index);
            switch (tag) {
                case 0: mode = value; break;
                case 1: facts.interval = value & 0xffffffff; break;
                case 2: facts.scales = value != 0; break;
                case 3: level = value; break;
                default: break;  // of newer recorders
            }
        }
        if (reading_.rounds != 0) tell(context, ErrorCode::malformed, "it stands behind the first STAT_ROUND");
        // perf writes a larger one for the last level.
        recorded_level_ = level && *level <= most_cache_level ? static_cast<std::uint32_t>(*level) : 0;
        if (!mode) return;
        facts.recorded = recorded_stat_mode(*mode, recording_.perf_version(), level.has_value());
        if (!facts.recorded && !options_.mode) {
            tell(context, ErrorCode::unsupported,
                 "aggr_mode " + std::to_string(*mode) + " is not shown here: all values of an event are added up");
        }
        // settle() has chosen a mode by then.
        if (counters_ && !options_.mode && facts.recorded && *facts.recorded != facts.mode) {
            tell(context, ErrorCode::malformed, "it stands behind the first value: its aggr_mode is not used");
        }
    }

    void operator()(const RecordContext& context, const Stat& stat) {
        ++reading_.values;
        if (!settle()) {
            ++reading_.unplaced;
            return tell(context, ErrorCode::malformed, "it stands before CPU_MAP and THREAD_MAP");
        }
        const auto event = event_of(stat.id);
        if (!event) {
            ++reading_.unknown_event;
            return tell(context, ErrorCode::malformed, "the event id in it belongs to no event of this recording");
        }
        const auto& set = sets_[set_of_[*event]];
        const auto cpu = cpu_of(set.cpus, stat.cpu);
        if (!cpu) {
            ++reading_.unknown_cpu;
            return tell(context, ErrorCode::malformed,
                        "CPU " + std::to_string(static_cast<std::int32_t>(stat.cpu)) +
                            " is none that the event was counted on");
        }
        if (stat.thread >= reading_.facts.threads.size()) {
            ++reading_.unknown_thread;
            return tell(context, ErrorCode::malformed,
                        "thread " + std::to_string(stat.thread) + " is not in THREAD_MAP");
        }
        if (!counters_->set({*event, *cpu, stat.thread}, {stat.value, stat.time_enabled, stat.time_running})) {
            ++reading_.unplaced;
            return tell(context, ErrorCode::limit, "more counters than the limits allow");
        }
        reading_.facts.events[*event].supported = true;
        if (const auto mode = reading_.facts.mode; groups_cpus(mode) || mode == StatMode::none) {
            if (stat.thread != 0) {
                ++reading_.other_threads;
            } else if (groups_cpus(mode) && set.groups[*cpu] == StatEventCpus::no_group) {
                ++reading_.outside_groups;
            }
        }
    }

    void operator()(const RecordContext& context, const StatRound& round) {
        ++reading_.rounds;
        if (!settle()) return tell(context, ErrorCode::malformed, "it stands before CPU_MAP and THREAD_MAP");
        auto& facts = reading_.facts;
        const bool is_final = round.kind == static_cast<std::uint64_t>(StatRound::Kind::final);
        if (is_final) {
            ++finals_;
            facts.elapsed +=
                (static_cast<double>(round.time.nanoseconds) - facts.elapsed) / static_cast<double>(finals_);
        }
        const auto count = rows_->count();
        const auto free = count - std::min<std::uint64_t>(count, counters_->set_count());
        const auto most = free_rows + rows_a_value * reading_.values;
        if (free > most - std::min(most, spent_)) {
            if (reading_.hidden_rounds++ == 0) {
                tell(context, ErrorCode::limit,
                     "next to no values for its " + how_many(count, "row") + ": such rounds are not shown");
            }
        } else {
            spent_ += free;
            take_(facts, StatTable{round.time, is_final, rows_->make()});
        }
        counters_->end_round();
    }

    void finish() {
        reading_.has_feature = recording_.feature(Feature::stat) != nullptr;
        if (!counters_) return;
        tell_unshown();
        reading_.behind = counters_->set_count();
        // With intervals perf reads all counters once more at the end, and shows that no more than we do.
        if (reading_.behind == 0 || (reading_.facts.interval != 0 && reading_.rounds != 0)) return;
        add({ErrorCode::truncated, Error::no_offset, "record STAT",
             "the recording ends before the STAT_ROUND of the last " + how_many(reading_.behind, "value") +
                 ": not shown"});
    }

  private:
    // Like perf: where there is one event, or the id is 0, the first one is meant.
    EventIndex event_of(EventId id) const {
        const auto& events = recording_.events();
        if (events.events().size() == 1 || (id.value == 0 && !events.empty())) return 0;
        return events.find(id.value);
    }

    // perf before 5.17 wrote the index in the set.
    std::optional<std::uint32_t> cpu_of(const StatCpus& cpus, std::uint32_t cpu) const {
        if (!writes_indices_) return cpus.index(static_cast<std::int32_t>(cpu));
        return cpu < cpus.size() ? std::optional(cpu) : std::nullopt;
    }

    void add(Error error) { reading_.completeness.diagnostics.add(std::move(error)); }
    void tell(const RecordContext& context, ErrorCode code, std::string what) {
        add({code, context.view.offset, "record " + std::string(record_type_name(context.view.header().type)),
             std::move(what)});
    }

    // Tells once of values that are kept, but that no row has: intervals repeat them.
    void tell_unshown() {
        const auto unshown = [&](std::uint64_t count, ErrorCode code, const std::string& why) {
            if (count == 0) return;
            add({code, Error::no_offset, "record STAT", "not shown: " + how_many(count, "value") + why});
        };
        unshown(reading_.outside_groups, ErrorCode::missing,
                " of CPUs of an event's own, on no " + std::string(to_string(reading_.facts.mode)) +
                    " that CPU_MAP has a CPU of");
        unshown(reading_.other_threads, ErrorCode::malformed,
                " of CPUs, but not of the first thread, and values by CPU have no other");
    }

    void update_cpus(const RecordContext& context, std::uint32_t event, const CpuMapData& data) {
        if (counters_) return;  // perf does not look any more either
        if (data.kind > static_cast<std::uint16_t>(CpuMapData::Kind::range)) {
            return tell(context, ErrorCode::unsupported, "CPUs in a form of newer recorders");
        }
        const auto count = stat_cpu_count(data);
        if (event_cpus_ + count > most_event_cpus) {
            return tell(context, ErrorCode::limit, "more CPUs of events than are kept: those of CPU_MAP count for it");
        }
        event_cpus_ += count;
        own_cpus_[event] = std::make_unique<StatCpus>(data);
    }

    // settle() makes what rounds need, before the first value: the maps and all CPUs of events come before it. False if
    // a map has not come.
    bool settle() {
        if (counters_) return true;
        if (!has_cpus_ || !has_threads_) return false;
        auto& facts = reading_.facts;
        choose_mode();
        sets_.push_back({std::move(cpus_), {}, {}});
        for (std::uint32_t event = 0; event < facts.events.size(); ++event) {
            const auto own = facts.per_cpu ? std::move(own_cpus_[event]) : nullptr;
            set_of_.push_back(own ? static_cast<std::uint32_t>(sets_.size()) : 0);
            if (own) sets_.push_back({std::move(*own), {}, {}});
            roles_.push_back(StatRole::of(recording_.events().events()[event].attr, facts.events[event].name));
        }
        own_cpus_.clear();
        if (groups_cpus(facts.mode)) make_groups();
        counters_.emplace(facts.events.size(), recording_.limits().cells);
        rows_.emplace(StatRows::Input{facts, *counters_, roles_, sets_, set_of_, groups_});
        return true;
    }

    void choose_mode() {
        auto& facts = reading_.facts;
        facts.mode = facts.recorded.value_or(StatMode::global);
        if (options_.mode) {
            const bool of_threads = facts.threads.size() > 1 || (!facts.threads.empty() && facts.threads[0].tid != -1);
            const bool can =
                *options_.mode == StatMode::global || (*options_.mode == StatMode::thread ? of_threads : facts.per_cpu);
            if (can) facts.mode = *options_.mode;
            reading_.mode_refused = !can;
        }
        if (groups_cpus(facts.mode) && !facts.per_cpu) {
            facts.mode = StatMode::global;
            add({ErrorCode::malformed, Error::no_offset, "record STAT_CONFIG",
                 "its aggr_mode needs CPUs, of which CPU_MAP has none: all values of an event are added up"});
        }
        if (facts.mode == StatMode::cache) {
            facts.cache_level = options_.mode == StatMode::cache ? options_.cache_level : recorded_level_;
        }
    }

    void make_groups() {
        const auto mode = reading_.facts.mode;
        std::vector<std::int32_t> all;
        for (const auto& set : sets_) all.insert(all.end(), set.cpus.all().begin(), set.cpus.all().end());
        std::ranges::sort(all);
        const auto same = std::ranges::unique(all);
        all.erase(same.begin(), same.end());
        const auto places =
            stat_places(recording_, mode, all, reading_.facts.cache_level, reading_.completeness.diagnostics);
        const auto places_of = [&](const StatCpus& cpus) {
            std::vector<StatPlace> some;
            some.reserve(cpus.size());
            for (const auto cpu : cpus.all()) {
                some.push_back(places[static_cast<std::size_t>(std::ranges::lower_bound(all, cpu) - all.begin())]);
            }
            return some;
        };
        const auto counted_on = places_of(sets_.front().cpus);
        groups_ = StatGroups(counted_on);
        for (auto& set : sets_) {
            set.members = groups_.members(places_of(set.cpus));
            set.groups.assign(set.cpus.size(), StatEventCpus::no_group);
            for (const auto& member : set.members) set.groups[member.cpu] = member.group;
        }
        for (const auto& place : counted_on) reading_.unknown_places += is_unplaced(mode, place) ? 1 : 0;
        if (reading_.unknown_places == 0) return;
        const bool of_caches = mode == StatMode::cache &&
                               std::ranges::any_of(counted_on, [](const StatPlace& place) { return place.cache < 0; });
        const auto level = reading_.facts.cache_level;
        add({ErrorCode::missing, Error::no_offset,
             of_caches                ? "feature CACHE"
             : mode == StatMode::node ? "feature NUMA_TOPOLOGY"
                                      : "feature CPU_TOPOLOGY",
             "it does not say " +
                 (!of_caches   ? "where"
                  : level == 0 ? "which cache is that of"
                               : "which cache of level " + std::to_string(level) + " is that of") +
                 (" " + std::to_string(reading_.unknown_places) + " of " + std::to_string(counted_on.size()) +
                  " CPUs") +
                 (of_caches ? "" : " are") + ": -1 stands for what is not known"});
    }

    const Recording& recording_;
    const StatOptions& options_;
    const StatTake& take_;
    StatReading& reading_;
    bool has_threads_ = false, has_cpus_ = false, writes_indices_ = false;
    StatCpus cpus_;                                    // of CPU_MAP, until settle()
    std::vector<std::unique_ptr<StatCpus>> own_cpus_;  // of EVENT_UPDATE, until settle(); most_event_cpus in all
    std::size_t event_cpus_ = 0;
    std::vector<StatEventCpus> sets_;    // that of CPU_MAP first
    std::vector<std::uint32_t> set_of_;  // of each event
    std::vector<StatRole> roles_;        // of each event
    StatGroups groups_;
    std::optional<StatCounters> counters_;  // behind settle()
    std::optional<StatRows> rows_;
    std::uint64_t finals_ = 0, spent_ = 0;
    std::uint32_t recorded_level_ = 0;  // aggr_level of STAT_CONFIG; 0: the last
};

}  // namespace

std::optional<StatMode> recorded_stat_mode(std::uint64_t number, std::string_view perf_version, bool has_level) {
    using enum StatMode;
    using Modes = std::array<std::optional<StatMode>, 10>;
    // enum aggr_mode in tools/perf/util/stat.h: 6.9 inserted clusters, 6.4 caches, 5.2 dies. `unset` has none.
    constexpr std::optional<StatMode> no;
    constexpr Modes clusters{none, global, socket, die, no, cache, core, thread, no, node};
    constexpr Modes caches{none, global, socket, die, cache, core, thread, no, node, no};
    constexpr Modes dies{none, global, socket, die, core, thread, no, node, no, no};
    constexpr Modes first{none, global, socket, core, thread, no, no, no, no, no};
    const auto version = version_number(perf_version);
    // The term came with caches: one that lacks it, lacks them.
    const auto& modes = version == 0                  ? (has_level ? clusters : dies)
                        : version >= 609              ? clusters
                        : version >= 604 && has_level ? caches
                        : version >= 502              ? dies
                                                      : first;
    return number < modes.size() ? modes[static_cast<std::size_t>(number)] : no;
}

Result<StatReading> read_stat(const Recording& recording, const StatOptions& options, const StatTake& take) {
    return catch_bad_alloc([&]() -> Result<StatReading> {
        StatReading reading;
        reading.completeness.diagnostics = DiagnosticLog(recording.limits().diagnostics);
        reading.completeness.diagnostics.append(recording.diagnostics());
        DiagnosticLog of_programs(recording.limits().diagnostics);
        if (auto found = find_counted_programs(recording, reading, of_programs, options.stop); !found)
            return fail(found.error());
        StatReader reader(recording, options, take, reading);
        const auto walked = walk(recording, reading.completeness, reader,
                                 {.order = RecordOrder::file, .stop = options.stop, .progress = options.progress});
        if (!walked) return fail(walked.error());
        reader.finish();
        // `perf stat` may also be what another recorder ran.
        if (reading.is_stat()) {
            reading.completeness.diagnostics.append(of_programs);
        } else {
            reading.facts.programs.clear();
            reading.facts.more_programs = 0;
        }
        return reading;
    });
}

}  // namespace perfdata
