// SPDX-License-Identifier: MIT
#include "format/json_writer.hpp"
#include "format/words.hpp"
#include "page/json/json_parts.hpp"
#include "tool/bpf/bpf_facts.hpp"
#include "tool/bpf/bpf_page.hpp"

namespace perfdata::tool {
namespace {

// BpfJson writes programs and functions, each with its code if that is asked for.
class BpfJson {
  public:
    BpfJson(const BpfView& view, BpfCode* code, JsonWriter& json) : view_(view), code_(code), json_(json) {}

    void function(CodeIndex index) {
        const auto& code = view_.timeline().code()[index];
        const auto name = view_.programs.name(index);
        json_.begin_object();
        json_.name("name", name.name);
        json_.name("symbol", code.symbol);
        json_.member("subprogram", code.subprogram);
        json_.name_or_null("prototype", name.prototype);
        json_.member("address", code.range.begin);
        json_.member("size", code.range.size);
        json_.member("from", unless(code.from, Time{}));
        json_.member("until", unless(code.until, Time::forever()));
        if (!code.load) write_image(json_, view_, index);
        if (code_ != nullptr && code.load) code_->write(index, json_);
        json_.end_object();
    }

    void load(const ListedLoad& listed) {
        const auto& load = *listed.load;
        const auto* info = load.info;
        json_.begin_object();
        json_.member("program_id", load.id.value);
        json_.name("program_name", view_.programs.program_name(load));
        json_.member("program_tag", hex(load.tag));
        json_.member("program_type", info == nullptr ? std::nullopt : std::optional(program_type(info->type)));
        json_.member("btf_id", info == nullptr || info->btf_id == 0 ? std::nullopt : std::optional(info->btf_id));
        json_.member("jited_size", info == nullptr ? std::nullopt : std::optional(info->jited_size));
        json_.member("xlated_size", info == nullptr ? std::nullopt : std::optional(info->xlated_size));
        write_facts(json_, view_, load);
        json_.member("loaded_at", unless(load.loaded_at, Time{}));
        json_.member("unloaded_at", unless(load.unloaded_at, Time::forever()));
        json_.member("code", code_state(view_.programs, load));
        const auto problem = view_.programs.problem(load);
        json_.member("problem", problem ? std::optional(problem->message()) : std::nullopt);
        json_.member("subprograms", std::uint64_t{load.function_count()});
        if (listed.left_out() != 0) json_.member("functions_left_out", std::uint64_t{listed.left_out()});
        json_.key("functions");
        json_.begin_array();
        for (const auto index : listed.functions) function(index);
        json_.end_array();
        json_.end_object();
    }

  private:
    const BpfView& view_;
    BpfCode* code_;
    JsonWriter& json_;
};

}  // namespace

void write_bpf_json(const Recording& recording, const BpfView& view, BpfCode* code, const ListedTimeline* timeline,
                    const Sink& sink) {
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.bpf/1");
    write_recording(json, RecordingFacts::of(recording));
    write_completeness(json, view.timeline().completeness(), true);
    write_dropped(json, view.listed.counts.dropped());
    BpfJson page(view, code, json);
    json.key("programs");
    json.begin_array();
    for (const auto& load : view.listed.loads) page.load(load);
    json.end_array();
    json.key("others");
    json.begin_array();
    for (const auto index : view.listed.others) page.function(index);
    json.end_array();
    if (const auto others = view.variables.others(); !others.records.empty()) {
        write_variables(json, "metadata_of_others", others);
    }
    if (timeline != nullptr) write_timeline(view, *timeline, json);
    json.end_object();
    json.finish();
}

}  // namespace perfdata::tool
