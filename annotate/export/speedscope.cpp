// SPDX-License-Identifier: MIT
#include "speedscope.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "perfdata/build_info.hpp"
#include "perfdata/core/small_algorithms.hpp"

#include "export_json.hpp"
#include "export_words.hpp"
#include "samples_by.hpp"
#include "stack_room.hpp"

namespace perfdata {
namespace {

// AxisUnit is what a step of the horizontal axis stands for.
struct AxisUnit {
    std::uint64_t size;      // in hits or periods
    std::string_view clock;  // the format's word, if the period is nanoseconds
    std::string_view other;  // what the name of the profile says if it is not
};
constexpr std::array<AxisUnit, 3> axis_units{{
    {1, "nanoseconds", ""},
    {1'000, "microseconds", " (thousands)"},
    {1'000'000, "milliseconds", " (millions)"},
}};
constexpr std::uint64_t most_exact = std::uint64_t{1} << 53;

const AxisUnit& axis_unit_for(std::uint64_t total) {
    for (const auto& unit : axis_units) {
        if (total / unit.size < most_exact) return unit;
    }
    return axis_units.back();
}

class SpeedscopeWriter {
  public:
    SpeedscopeWriter(const Exported& exported, const SpeedscopeOptions& options, const Sink& sink)
        : exported_(exported), options_(options), json_(sink), room_(exported) {
        number_frames();
    }

    std::uint64_t write() {
        json_.begin_object();
        json_.member("$schema", "https://www.speedscope.app/file-format-schema.json");
        json_.member("exporter", fmt::format("perfdata {}", build_info().version));
        json_.name("name", recording_name(exported_.recording.path));
        json_.member("activeProfileIndex", most_hit_column(exported_));
        json_.key("shared");
        json_.begin_object();
        write_frames();
        json_.end_object();
        json_.key("profiles");
        json_.begin_array();
        const auto samples = SamplesBy(exported_.samples, [](const ExportSample& sample) { return sample.column; });
        std::size_t next = 0;
        for (std::uint32_t column = 0; column < exported_.events.size(); ++column) {
            const auto of_column = samples.of(next, column);
            next += of_column.size();
            write_profile(column, of_column);
        }
        // A file without profiles does not open.
        if (exported_.events.empty()) write_nothing();
        json_.end_array();
        json_.end_object();
        json_.finish();
        return room_.cut();
    }

  private:
    // Stretch is samples in a row with one stack, and the sums of weights before and behind them.
    struct Stretch {
        std::uint32_t task = 0, node = 0;
        std::uint64_t begin = 0, end = 0;
    };

    // A function has a frame, and another one where it was inlined. Frames of threads follow.
    void number_frames() {
        constexpr auto none = ~std::uint32_t{0};
        std::vector<std::array<std::uint32_t, 2>> known(exported_.functions.size(), {none, none});
        for (std::uint32_t place = 0; place < exported_.places.size(); ++place) {
            const auto& at = exported_.places[place];
            auto& number = known[at.function][at.inlined ? 1 : 0];
            if (number == none) {
                number = static_cast<std::uint32_t>(place_of_frame_.size());
                place_of_frame_.push_back(place);
            }
            frame_of_place_.push_back(number);
        }
    }

    void write_frames() {
        json_.column("frames", place_of_frame_.size() + exported_.tasks.size(), [&](std::size_t number) {
            json_.begin_object();
            if (number < place_of_frame_.size()) {
                write_function(exported_.places[place_of_frame_[number]]);
            } else {
                write_task(exported_.tasks[number - place_of_frame_.size()]);
            }
            json_.end_object();
        });
    }

    void write_function(const ExportPlace& place) {
        const auto& function = exported_.functions[place.function];
        const auto mark = options_.kinds ? kind_mark(function.kind, place.inlined) : std::string_view();
        json_.member("name", fmt::format("{}{}", std::string_view(Shortened(function.name)), mark));
        json_.name("file", function.file.empty() ? exported_.objects[function.object].path : function.file);
        if (!function.file.empty() && function.line != 0) json_.member("line", function.line);
    }

    void write_task(const ExportTask& task) {
        const Shortened comm(task.comm);
        const auto name = std::string_view(comm);
        json_.member("name", task.further ? std::string(name) : fmt::format("{} {}", name, signed_id(task.tid.value)));
    }

    void write_profile(std::uint32_t column, std::span<const std::size_t> samples) {
        const auto& event = exported_.events[column];
        const auto& total = exported_.totals[column];
        const auto& unit = axis_unit_for(options_.periods ? total.periods : total.hits);
        const bool clock = options_.periods && event.nanoseconds;
        const Shortened name(event.name);
        unit_ = unit.size;
        write_head(fmt::format("{}{}", std::string_view(name), clock ? "" : unit.other), clock ? unit.clock : "none",
                   (options_.periods ? total.periods : total.hits) / unit_);
        json_.key("samples");
        json_.begin_array();
        each_stretch(samples, [&](const Stretch& stretch) { write_stack(stretch.task, stretch.node); });
        json_.end_array();
        json_.key("weights");
        json_.begin_array();
        // The running sum is rounded, not each weight.
        each_stretch(samples,
                     [&](const Stretch& stretch) { json_.value(stretch.end / unit_ - stretch.begin / unit_); });
        json_.end_array();
        json_.end_object();
    }

    void write_head(std::string_view name, std::string_view unit, std::uint64_t end) {
        json_.begin_object();
        json_.member("type", "sampled");
        json_.member("name", name);
        json_.member("unit", unit);
        json_.member("startValue", 0u);
        json_.member("endValue", end);
    }
    void write_nothing() {
        write_head("no samples", "none", 0);
        json_.column("samples", 0, [](std::size_t) {});
        json_.column("weights", 0, [](std::size_t) {});
        json_.end_object();
    }

    // Samples in a row with the same stack are one. Those without a weight are left out: they have no width.
    template <class Take>
    void each_stretch(std::span<const std::size_t> samples, Take&& take) const {
        Stretch stretch;
        for (const auto number : samples) {
            const auto& sample = exported_.samples[number];
            const auto weight = options_.periods ? sample.periods : 1;
            if (weight == 0) continue;
            if (stretch.end != 0 && (stretch.task != sample.task || stretch.node != sample.node)) {
                take(stretch);
                stretch.begin = stretch.end;
            }
            stretch.task = sample.task;
            stretch.node = sample.node;
            stretch.end = add_up_to_most(stretch.end, weight);
        }
        if (stretch.end != 0) take(stretch);
    }

    // Outermost first: the thread, then its functions.
    void write_stack(std::uint32_t task, std::uint32_t node) {
        path_.clear();
        room_.begin_stack();
        for (; node != ExportNode::none && room_.take(); node = exported_.nodes[node].caller) {
            path_.push_back(frame_of_place_[exported_.nodes[node].place]);
        }
        json_.begin_array();
        json_.value(static_cast<std::uint32_t>(place_of_frame_.size()) + task);
        for (auto at = path_.size(); at-- != 0;) json_.value(path_[at]);
        json_.end_array();
    }

    const Exported& exported_;
    const SpeedscopeOptions& options_;
    ExportJson json_;
    StackRoom room_;
    std::vector<std::uint32_t> frame_of_place_, place_of_frame_;  // the latter the first place
    std::vector<std::uint32_t> path_;
    std::uint64_t unit_ = 1;
};

}  // namespace

std::uint64_t write_speedscope(const Exported& exported, const SpeedscopeOptions& options, const Sink& sink) {
    return SpeedscopeWriter(exported, options, sink).write();
}

}  // namespace perfdata
