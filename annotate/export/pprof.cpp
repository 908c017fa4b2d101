// SPDX-License-Identifier: MIT
#include "pprof.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/version.hpp"
#include "perfdata/wire/feature/clock_data.hpp"

#include "format/words.hpp"
#include "gzip_sink.hpp"
#include "pprof_locations.hpp"
#include "pprof_strings.hpp"
#include "stack_room.hpp"

namespace perfdata {
namespace {

using protozero::pbf_writer;

constexpr std::size_t pprof_block = std::size_t{64} << 10;
constexpr auto pprof_most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::uint64_t file_begin = std::uint64_t{1} << 44;  // see the header

// Field numbers of profile.proto.
namespace profile_field {
constexpr protozero::pbf_tag_type sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
                                  string_table = 6, time_nanos = 9, duration_nanos = 10, period_type = 11, period = 12,
                                  comment = 13, default_sample_type = 14;
}
namespace value_type_field {
constexpr protozero::pbf_tag_type type = 1, unit = 2;
}
namespace sample_field {
constexpr protozero::pbf_tag_type location_id = 1, value = 2, label = 3;
}
namespace label_field {
constexpr protozero::pbf_tag_type key = 1, str = 2, num = 3, num_unit = 4;
}
namespace mapping_field {
constexpr protozero::pbf_tag_type id = 1, memory_start = 2, memory_limit = 3, file_offset = 4, filename = 5,
                                  build_id = 6, has_functions = 7, has_filenames = 8, has_line_numbers = 9,
                                  has_inline_frames = 10;
}
namespace location_field {
constexpr protozero::pbf_tag_type id = 1, mapping_id = 2, address = 3, line = 4;
}
namespace line_field {
constexpr protozero::pbf_tag_type function_id = 1, line = 2, column = 3;
}
namespace function_field {
constexpr protozero::pbf_tag_type id = 1, name = 2, system_name = 3, filename = 4, start_line = 5;
}

// True for "/usr/lib/libc.so.6", "libx.so": what pprof takes for no main program.
bool is_shared_library(std::string_view path) {
    return path.ends_with(".so") || path.contains(".so.") || path.contains(".so_");
}

// False for "[vdso]", "//anon" and what has no name.
bool is_file(const ExportObject& object) {
    return object.addresses != AddressOf::memory && object.path.starts_with('/') && !object.path.starts_with("//");
}

class PprofWriter {
  public:
    PprofWriter(const Exported& exported, const PprofOptions& options, const Sink& sink)
        : exported_(exported), options_(options), sink_(sink), locations_(exported), room_(exported) {}

    PprofCuts write() {
        order_mappings();
        write_types();
        write_samples();
        write_mappings();
        write_locations();
        write_functions();
        write_facts();
        for (const auto* text : strings_.texts()) {
            pbf_writer(block_).add_string(profile_field::string_table, *text);
            flush_full();
        }
        if (!block_.empty()) sink_(block_);
        return {room_.cut(), cut_};
    }

  private:
    // Function is one of the export in one source file: a line says no file.
    struct Function {
        std::uint32_t function = 0;  // index in Exported::functions
        std::uint32_t file = 0;      // number of the text

        bool operator==(const Function&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{function} << 32 | file); }
    };

    // message(field, body) calls body(writer) to write a part of the profile.
    template <class Body>
    void message(protozero::pbf_tag_type field, Body&& body) {
        {
            pbf_writer profile(block_);
            pbf_writer part(profile, field);
            body(part);
        }
        flush_full();
    }
    void flush_full() {
        if (block_.size() < pprof_block) return;
        sink_(block_);
        block_.clear();
    }
    // number(field, value) leaves out 0, which is what readers assume.
    static void number(pbf_writer& part, protozero::pbf_tag_type field, std::uint64_t value) {
        if (value != 0) part.add_uint64(field, value);
    }
    static void text(pbf_writer& part, protozero::pbf_tag_type field, std::int64_t number) {
        if (number != 0) part.add_int64(field, number);
    }

    void write_types() {
        // Readers find a type by its name. Of each name: how many events have it.
        std::map<std::string, std::size_t> used;
        const std::span events(exported_.events);
        for (const auto& event : events.first(std::min(events.size(), most_pprof_events))) {
            auto name = event.name;
            auto& copies = used[name];
            while (++copies > 1) {
                name = fmt::format("{}#{}", event.name, copies);
                if (used.try_emplace(name, 1u).second) break;
            }
            const auto hits = strings_(name + "_sample"), periods = strings_(name + "_event");
            types_.emplace_back(hits, periods);
            write_type(profile_field::sample_type, hits, "count");
            write_type(profile_field::sample_type, periods, unit_of(event));
        }
        left_.assign(2 * types_.size(), pprof_most);
    }
    static std::string_view unit_of(const ExportEvent& event) { return event.nanoseconds ? "nanoseconds" : "count"; }
    void write_type(protozero::pbf_tag_type field, std::int64_t type, std::string_view unit) {
        message(field, [&](pbf_writer& part) {
            text(part, value_type_field::type, type);
            text(part, value_type_field::unit, strings_(unit));
        });
    }

    void write_samples() {
        std::vector<std::uint64_t> ids;
        std::vector<std::int64_t> values;
        std::vector<std::int64_t> comms;
        for (const auto& task : exported_.tasks) comms.push_back(strings_(task.comm));
        const auto comm = strings_("comm"), pid = strings_("pid"), tid = strings_("tid"), code = strings_("code");
        const auto label = [](pbf_writer& sample, std::int64_t key, std::int64_t value) {
            pbf_writer part(sample, sample_field::label);
            part.add_int64(label_field::key, key);
            part.add_int64(label_field::str, value);
        };
        // Without a unit pprof would drop the number 0.
        const auto number_label = [](pbf_writer& sample, std::int64_t key, std::uint32_t value) {
            pbf_writer part(sample, sample_field::label);
            part.add_int64(label_field::key, key);
            part.add_int64(label_field::num, signed_id(value));
            part.add_int64(label_field::num_unit, key);
        };
        for (const auto& row : exported_.rows) {
            values.assign(2 * types_.size(), 0);
            bool any = false;
            for (const auto& [column, count] : row.cells) {
                if (column >= types_.size()) break;
                values[2 * column] = within(2 * column, count.hits);
                values[2 * column + 1] = within(2 * column + 1, count.periods);
                any = true;
            }
            if (!any) continue;
            ids.clear();
            room_.begin_stack();
            locations_.each_of_stack(row.node, [&](std::uint64_t id) {
                if (!room_.take()) return false;
                ids.push_back(id);
                return true;
            });
            const auto& task = exported_.tasks[row.task];
            const auto& sampled = exported_.functions[exported_.places[exported_.nodes[row.node].place].function];
            message(profile_field::sample, [&](pbf_writer& sample) {
                sample.add_packed_uint64(sample_field::location_id, ids.begin(), ids.end());
                sample.add_packed_int64(sample_field::value, values.begin(), values.end());
                label(sample, comm, comms[row.task]);
                if (!task.further) {
                    number_label(sample, pid, task.pid.value);
                    number_label(sample, tid, task.tid.value);
                }
                label(sample, code, strings_(to_string(sampled.kind)));
            });
        }
    }
    // within(type, value) returns as much of the value as the sum of that type has room for.
    std::int64_t within(std::size_t type, std::uint64_t value) {
        const auto kept = std::min(value, left_[type]);
        left_[type] -= kept;
        if (kept != value) cut_ = true;
        return static_cast<std::int64_t>(kept);
    }

    // The first mapping is the main program: of the user's files the one with most samples, but rather no library.
    void order_mappings() {
        const auto& objects = exported_.objects;
        std::vector<std::uint64_t> hits_of(objects.size());
        for (const auto& row : exported_.rows) {
            auto& sum = hits_of[exported_.places[exported_.nodes[row.node].place].object];
            for (const auto& cell : row.cells) sum = add_up_to_most(sum, cell.count.hits);
        }
        std::vector<bool> used(objects.size());
        for (const auto& place : exported_.places) used[place.object] = true;
        for (std::uint32_t object = 0; object < objects.size(); ++object) {
            if (used[object]) mappings_.push_back(object);
        }
        const auto rank = [&](std::uint32_t object) {
            const auto& of = objects[object];
            return std::tuple(of.kind == CodeClass::user && is_file(of), !is_shared_library(of.path), hits_of[object]);
        };
        if (const auto main = std::ranges::max_element(mappings_, {}, rank); main != mappings_.end()) {
            std::rotate(mappings_.begin(), main, main + 1);
        }
        mapping_of_object_.resize(objects.size());
        for (std::size_t at = 0; at < mappings_.size(); ++at) mapping_of_object_[mappings_[at]] = at + 1;
    }

    void write_mappings() {
        for (const auto number : mappings_) {
            const auto& object = exported_.objects[number];
            const auto range = range_of(object);
            message(profile_field::mapping, [&](pbf_writer& part) {
                part.add_uint64(mapping_field::id, mapping_of_object_[number]);
                this->number(part, mapping_field::memory_start, range.begin);
                this->number(part, mapping_field::memory_limit, range.end);
                this->number(part, mapping_field::file_offset, range.file_offset);
                text(part, mapping_field::filename, strings_(object.path));
                text(part, mapping_field::build_id, strings_(object.build_id));
                part.add_bool(mapping_field::has_functions, true);
                part.add_bool(mapping_field::has_filenames, true);
                part.add_bool(mapping_field::has_line_numbers, true);
                part.add_bool(mapping_field::has_inline_frames, true);
            });
        }
    }
    struct Range {
        std::uint64_t begin = 0, end = 0, file_offset = 0;
    };
    // See the header. The end of an object wraps to 0 behind the last address.
    static Range range_of(const ExportObject& object) {
        constexpr auto all = ~std::uint64_t{0};
        if (object.addresses == AddressOf::program && is_file(object)) return {0, all, 0};
        if (is_moved(object)) return {file_begin, 2 * file_begin, 0};
        return {object.begin, object.end > object.begin ? object.end : all, object.begin};
    }
    // No file is that long, but a recording may claim it.
    static bool is_moved(const ExportObject& object) {
        const bool is_offset = object.addresses == AddressOf::file && is_file(object);
        return is_offset && object.begin < object.end && object.end <= file_begin;
    }

    void write_locations() {
        locations_.each([&](std::uint64_t id, PprofLocations::Part part) {
            const auto& place = exported_.places[part.place];
            const auto& object = exported_.objects[place.object];
            message(profile_field::location, [&](pbf_writer& location) {
                location.add_uint64(location_field::id, id);
                location.add_uint64(location_field::mapping_id, mapping_of_object_[place.object]);
                number(location, location_field::address, place.address + (is_moved(object) ? file_begin : 0));
                write_line(location, place);
                while (part.into != PprofLocations::none) {
                    part = locations_.part(part.into);
                    write_line(location, exported_.places[part.place]);
                }
            });
        });
    }
    void write_line(pbf_writer& location, const ExportPlace& place) {
        pbf_writer line(location, location_field::line);
        const auto& function = exported_.functions[place.function];
        const auto file = strings_(place.file.empty() ? function.file : place.file);
        number(line, line_field::function_id,
               std::uint64_t{functions_.intern({place.function, static_cast<std::uint32_t>(file)})} + 1);
        number(line, line_field::line, place.line);
        number(line, line_field::column, place.column);
    }

    void write_functions() {
        for (std::uint32_t number = 0; number < functions_.size(); ++number) {
            const auto& function = exported_.functions[functions_[number].function];
            const auto file = std::int64_t{functions_[number].file};
            message(profile_field::function, [&](pbf_writer& part) {
                part.add_uint64(function_field::id, std::uint64_t{number} + 1);
                text(part, function_field::name, strings_(function.name));
                // pprof shortens a name that equals this one: it takes it for C++ and cuts what is in <>, which is most
                // of many names in Rust.
                if (function.symbol != function.name) {
                    text(part, function_field::system_name, strings_(function.symbol));
                }
                text(part, function_field::filename, file);
                if (file == strings_(function.file)) this->number(part, function_field::start_line, function.line);
            });
        }
    }

    void write_facts() {
        const auto& recording = exported_.recording;
        comment("perf-command", fmt::format("{}", fmt::join(options_.command_line, " ")));
        comment("perf-version", recording.perf_version);
        comment("perfdata-version", header_version);
        comment("arch", recording.arch);
        comment("os-release", recording.os_release);
        comment("hostname", recording.hostname);
        if (cut_) comment("values", "sums beyond 2^63-1 are cut to that");
        if (room_.cut() != 0) comment("stacks", fmt::format("{} lack callers: there is no more room", room_.cut()));
        if (exported_.events.size() > types_.size()) {
            comment("events", fmt::format("{} further events are left out", exported_.events.size() - types_.size()));
        }
        pbf_writer profile(block_);
        number(profile, profile_field::time_nanos, options_.wall_time);
        if (recording.first_time && recording.last_time && *recording.first_time < *recording.last_time) {
            const auto duration = recording.last_time->nanoseconds - recording.first_time->nanoseconds;
            number(profile, profile_field::duration_nanos, std::min(duration, pprof_most));
        }
        if (types_.empty()) return;
        const auto& event = exported_.events[0];
        const bool has_periods = exported_.totals[0].periods != 0;
        text(profile, profile_field::default_sample_type, has_periods ? types_[0].second : types_[0].first);
        if (event.period == 0) return;
        number(profile, profile_field::period, std::min(event.period, pprof_most));
        write_type(profile_field::period_type, strings_(event.name), unit_of(event));
    }
    void comment(std::string_view name, std::string_view content) {
        if (content.empty()) return;
        const auto whole = fmt::format("{}:{}", name, content);
        pbf_writer(block_).add_int64(profile_field::comment, strings_(whole));
    }

    const Exported& exported_;
    const PprofOptions& options_;
    const Sink& sink_;
    PprofLocations locations_;
    StackRoom room_;
    PprofStrings strings_;
    InternTable<Function> functions_;
    std::vector<std::pair<std::int64_t, std::int64_t>> types_;  // by column: names of hits and periods
    std::vector<std::uint64_t> left_;                           // by type: what may still be added
    std::vector<std::uint32_t> mappings_;                       // the objects in their order
    std::vector<std::uint64_t> mapping_of_object_;              // id
    bool cut_ = false;
    std::string block_;
};

}  // namespace

PprofOptions PprofOptions::of(const Recording& recording, const Exported& exported) {
    PprofOptions options;
    options.command_line.assign(recording.command_line().begin(), recording.command_line().end());
    if (recording.wall_time() <= pprof_most) options.wall_time = recording.wall_time();
    const auto* section = recording.feature(Feature::clock_data);
    if (section == nullptr || !exported.recording.first_time) return options;
    const auto content = recording.read_feature(Feature::clock_data);
    if (!content) return options;
    const auto clock = ClockData::decode(Cursor(*content, recording.order(), {.where = "feature CLOCK_DATA"}));
    // perf writes zeros if it has no clock.
    if (!clock || clock->wall_clock == 0) return options;
    const auto wall = clock->wall(*exported.recording.first_time);
    if (wall <= pprof_most) options.wall_time = wall;
    return options;
}

PprofCuts write_pprof(const Exported& exported, const PprofOptions& options, const Sink& sink, unsigned threads) {
    PprofCuts cut;
    const auto write = [&](const Sink& packed) { cut = PprofWriter(exported, options, packed).write(); };
    write_gzip(sink, write, threads);
    return cut;
}

}  // namespace perfdata
