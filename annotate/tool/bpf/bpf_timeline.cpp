// SPDX-License-Identifier: MIT
#include "bpf_timeline.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string>

#include "format/words.hpp"
#include "tool/bpf/bpf_facts.hpp"

namespace perfdata::tool {
namespace {

using Kind = BpfChange::Kind;

std::string_view kind_word(Kind kind) {
    switch (kind) {
        case Kind::load: return "load";
        case Kind::unload: return "unload";
        case Kind::registered: return "registered";
        case Kind::unregistered: return "unregistered";
    }
    return "";
}

// Finds which program or code a change is about. A program id may have been loaded more than once only in damaged
// recordings; then the load nearest before the change counts.
class ChangeOwners {
  public:
    explicit ChangeOwners(const Timeline& timeline) : timeline_(timeline) {
        const auto loads = timeline.loads();
        for (std::uint32_t index = 0; index < loads.size(); ++index) {
            loads_[{loads[index].id.value, loads[index].loaded_at.nanoseconds}] = index;
        }
    }

    TimelineEntry of(const BpfChange& change) const {
        TimelineEntry entry{.change = &change};
        if (change.kind == Kind::load || change.kind == Kind::unload) {
            entry.load = load(change.id.value, change.time.nanoseconds);
            return entry;
        }
        // Code is there up to its end, without it.
        auto time = change.time;
        if (change.kind == Kind::unregistered && time.nanoseconds != 0) --time.nanoseconds;
        const auto found = timeline_.code_at(change.range.begin, time);
        if (!found || timeline_.code()[found->index].range.begin != change.range.begin) return entry;
        entry.code = found->index;
        entry.load = timeline_.code()[found->index].load;
        return entry;
    }

  private:
    std::optional<std::uint32_t> load(std::uint32_t id, std::uint64_t time) const {
        const auto above = loads_.upper_bound({id, time});
        if (above != loads_.begin() && std::prev(above)->first.first == id) return std::prev(above)->second;
        // Loaded live after perf told of it as known: the load has the later time.
        if (above != loads_.end() && above->first.first == id) return above->second;
        return {};
    }

    const Timeline& timeline_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> loads_;  // by id and time of loading
};

FilterPart code_part(const BpfView& view, const TimelineEntry& entry) {
    const auto& filter = view.filter.code;
    if (filter.empty()) return FilterPart::none;
    if (entry.code) return filter_part(view.programs.left_out(*entry.code, 0, filter));
    const auto& change = *entry.change;
    const bool of_program = change.kind == Kind::load || change.kind == Kind::unload;
    if (!of_program) return filter_part(filter.leaves_out(CodeClass::bpf, change.symbol, change.symbol, 0));
    return filter_part(filter.leaves_out(CodeClass::bpf, fmt::format("[bpf:{}]", change.id.value), {}, 0));
}

}  // namespace

ListedTimeline::ListedTimeline(const BpfView& view) {
    const ChangeOwners owners(view.timeline());
    // A program passes if it is listed, that is if one of its functions passes.
    std::vector<bool> listed(view.timeline().loads().size());
    for (const auto& one : view.listed.loads) {
        listed[static_cast<std::size_t>(one.load - view.timeline().loads().data())] = true;
    }
    for (const auto& change : view.records.changes()) {
        const auto entry = owners.of(change);
        const Time after{change.time.nanoseconds + (change.time == Time::forever() ? 0 : 1)};
        auto part = FilterPart::none;
        if (!view.filter.has_life(change.time, after)) {
            part = FilterPart::time;
        } else if (!entry.code && entry.load && listed[*entry.load]) {
            part = FilterPart::none;
        } else {
            part = code_part(view, entry);
        }
        counts.add(part);
        if (part == FilterPart::none) entries.push_back(entry);
    }
}

void write_timeline(const BpfView& view, const ListedTimeline& timeline, const Sink& sink) {
    auto text = timeline.counts.headline("changes");
    if (!text.empty()) text += "\n\n";
    if (view.records.changes().empty()) text += "No BPF program or code came or went in this recording.\n";
    constexpr std::size_t block = 1 << 16;
    for (const auto& entry : timeline.entries) {
        const auto& change = *entry.change;
        const auto when = change.time == Time{} ? std::string("before") : seconds(change.time);
        fmt::format_to(std::back_inserter(text), "{:>18}  {:<12}  ", when, kind_word(change.kind));
        if (change.kind == Kind::load || change.kind == Kind::unload) {
            const auto* load = entry.load ? &view.timeline().loads()[*entry.load] : nullptr;
            const auto name = load == nullptr ? std::string_view() : view.programs.program_name(*load);
            fmt::format_to(std::back_inserter(text), "{}  {}  tag {}\n",
                           change.id.value == 0 ? std::string("(no id)") : std::to_string(change.id.value),
                           name.empty() ? "(no name)" : shown(name), hex(change.tag));
        } else {
            fmt::format_to(std::back_inserter(text), "{} {:>6}  {}\n", hex(change.range.begin), change.range.size,
                           shown(change.symbol));
        }
        if (text.size() > block) {
            sink(text);
            text.clear();
        }
    }
    sink(text);
}

void write_timeline(const BpfView& view, const ListedTimeline& timeline, JsonWriter& json) {
    json.key("timeline");
    json.begin_array();
    for (const auto& entry : timeline.entries) {
        const auto& change = *entry.change;
        const auto* load = entry.load ? &view.timeline().loads()[*entry.load] : nullptr;
        json.begin_object();
        json.member("time", unless(change.time, Time{}));
        json.member("change", kind_word(change.kind));
        if (change.kind == Kind::load || change.kind == Kind::unload) {
            json.member("program_id", change.id.value == 0 ? std::nullopt : std::optional(change.id.value));
            json.member("program_tag", hex(change.tag));
            json.name_or_null("program_name", load == nullptr ? std::string_view() : view.programs.program_name(*load));
        } else {
            json.member("program_id", load == nullptr ? std::nullopt : std::optional(load->id.value));
            json.member("address", change.range.begin);
            json.member("size", change.range.size);
            json.name("symbol", change.symbol);
        }
        json.end_object();
    }
    json.end_array();
    const auto left_out = view.records.changes().size() - timeline.entries.size();
    if (left_out != 0) json.member("timeline_left_out", std::uint64_t{left_out});
}

}  // namespace perfdata::tool
