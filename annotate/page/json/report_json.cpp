// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "perfdata/annotate/report/report.hpp"

#include "json_parts.hpp"
#include "page/report_words.hpp"
#include "report/without_build_id.hpp"
#include "report/without_samples.hpp"

namespace perfdata {
namespace {

class ReportJson {
  public:
    ReportJson(const ReportContext& context, const Report& report, const Sink& sink)
        : context_(context), report_(report), json_(sink) {}

    void write() {
        json_.begin_object();
        json_.member("schema", "perfdata.report/1");
        write_recording(json_, context_.recording, nullptr, times());
        json_.key("events");
        json_.begin_array();
        for (std::size_t column = 0; column < report_.events.size(); ++column) event(column);
        json_.end_array();
        if (!report_.dropped.empty()) {
            json_.key("dropped");
            json_.begin_object();
            for (const auto& one : report_.dropped) json_.member(one.option.substr(2), one.samples);
            json_.end_object();
        }
        json_.array("sort", context_.options.keys, key_name);
        json_.key("rows");
        json_.begin_array();
        for (const auto& each : report_.rows) {
            row(each);
        }
        json_.end_array();
        json_.member("hidden_rows", report_.hidden_rows);
        json_.key("no_symbol");
        json_.begin_array();
        for (const auto& entry : report_.no_symbol) no_symbol(entry);
        json_.end_array();
        if (tells_functions(context_.options)) {
            write_without_build_id(json_, without_build_id(context_, report_));
        }
        if (!report_.line_problems.empty()) {
            json_.array("line_problems", report_.line_problems,
                        [](const LineProblem& problem) { return problem.error.message(); });
        }
        const auto& chains = context_.counts.chain_losses();
        json_.member("broken_chains", chains.broken);
        json_.member("stacks_not_unwound", context_.counts.stacks_not_unwound());
        if (chains.cut != 0) json_.member("cut_chains", chains.cut);
        if (chains.deep != 0) json_.member("deep_chains", chains.deep);
        if (hits(context_.counts.totals()) == 0) {
            const auto what = without_samples(context_.recording, context_.completeness);
            if (!what.empty()) json_.member("without_samples", what);
        }
        if (report_.rows_without_tree != 0) json_.member("rows_without_tree", report_.rows_without_tree);
        write_completeness(json_, context_.completeness, true);
        json_.end_object();
        json_.finish();
    }

  private:
    SampleTimes times() const {
        return {context_.counts.first_time().value_or(Time{}), context_.counts.last_time().value_or(Time{})};
    }

    static std::string_view key_name(ReportKey key) {
        switch (key) {
            case ReportKey::comm: return "comm";
            case ReportKey::pid: return "pid";
            case ReportKey::tid: return "tid";
            case ReportKey::cpu: return "cpu";
            case ReportKey::cgroup: return "cgroup";
            case ReportKey::object: return "object";
            case ReportKey::symbol: return "symbol";
            case ReportKey::kind: return "kind";
            case ReportKey::line: return "line";
            case ReportKey::program: return "program";
        }
        return "";
    }

    void event(std::size_t column) {
        const auto& whole = report_.whole[column];
        json_.begin_object();
        json_.member("name", context_.recording.events().events()[report_.events[column]].name);
        json_.member("samples", whole.hits);
        json_.member("periods", whole.periods);
        json_.member("kept", report_.kept[column].hits);
        json_.end_object();
    }

    void percent(std::string_view name, std::span<const EventCount> cells) {
        json_.key(name);
        json_.begin_array();
        for (std::size_t column = 0; column < cells.size(); ++column) {
            json_.value(share(cells[column].periods, report_.whole[column].periods));
        }
        json_.end_array();
    }

    void row(const ReportRow& row) {
        const auto& options = context_.options;
        json_.begin_object();
        for (const auto key : options.keys) field(row, key);
        const auto& place = report_.places[row.place];
        if (!options.has(ReportKey::kind)) json_.member("kind", to_string(place.kind));
        if (options.has(ReportKey::symbol) || options.has(ReportKey::program)) bpf(place);
        json_.counts(row.self);
        percent("percent", row.self);
        if (options.children) {
            json_.array("with_callers", row.total, [](const EventCount& cell) { return cell.hits; });
            json_.array("periods_with_callers", row.total, [](const EventCount& cell) { return cell.periods; });
            percent("percent_with_callers", row.total);
        }
        if (options.tree != ReportTree::none) {
            json_.key(options.tree == ReportTree::caller ? "callees" : "callers");
            nodes(row.tree);
        }
        json_.end_object();
    }

    void field(const ReportRow& row, ReportKey key) {
        const auto& place = report_.places[row.place];
        const auto& task = context_.counts.tasks()[row.task];
        switch (key) {
            case ReportKey::pid: return json_.member("pid", signed_id(task.pid.value));
            case ReportKey::tid: return json_.member("tid", signed_id(task.tid.value));
            case ReportKey::cpu:
                return json_.member("cpu", task.cpu == no_cpu ? std::nullopt : std::optional(task.cpu));
            case ReportKey::object: json_.name("object", place.object); return json_.name_or_null("path", place.path);
            case ReportKey::symbol: return symbol(place.symbol, place.address);
            case ReportKey::program: return;  // see bpf()
            default: return json_.name(key_name(key), key_text(context_, report_, row, key));
        }
    }

    void symbol(std::string_view symbol, std::uint64_t address) {
        if (symbol.empty()) {
            json_.member("symbol", std::optional<std::string_view>());
            json_.member("address", Address{address});
        } else {
            json_.name("symbol", symbol);
        }
    }

    // The programs of a row, and what BTF calls the function.
    void bpf(const ReportPlace& place) {
        if (place.loads.empty()) return;
        if (!place.symbol.empty()) {
            if (functions_.empty()) find_functions();
            for (const auto load : place.loads) {
                const auto function = functions_.find({load, place.symbol});
                if (function == functions_.end()) continue;
                json_.name("function", context_.names.bpf().name(function->second).name);
                break;
            }
        }
        programs(place);
    }

    // The functions of all programs, so that no row has to look through those of its own.
    void find_functions() {
        const auto& timeline = context_.names.timeline();
        for (std::uint32_t load = 0; load < timeline.loads().size(); ++load) {
            for (const auto code : timeline.loads()[load].functions) {
                functions_.try_emplace({load, timeline.code()[code].symbol}, code);
            }
        }
    }

    // One name may be that of any number of programs, in any number of rows.
    void programs(const ReportPlace& place) {
        constexpr std::size_t most = 1000;
        const auto shown = std::min(place.loads.size(), most);
        if (shown < place.loads.size()) json_.member("more_programs", std::uint64_t{place.loads.size() - shown});
        json_.key("programs");
        json_.begin_array();
        for (const auto number : std::span(place.loads).first(shown)) {
            const auto& load = context_.names.timeline().loads()[number];
            json_.begin_object();
            json_.member("id", load.id.value);
            json_.name("name", context_.names.bpf().program_name(load));
            json_.member("tag", hex(load.tag));
            json_.member("loaded_at", load.loaded_at == Time{} ? std::nullopt : std::optional(load.loaded_at));
            json_.member("unloaded_at",
                         load.unloaded_at == Time::forever() ? std::nullopt : std::optional(load.unloaded_at));
            json_.end_object();
        }
        json_.end_array();
    }

    void nodes(const std::vector<ReportNode>& nodes) {
        json_.begin_array();
        for (const auto& node : nodes) {
            const auto& place = report_.tree_places[node.place];
            json_.begin_object();
            const InLine symbol(place.symbol, InLine::Keep::beginning, tree_room_.next());
            tree_room_.take(std::string_view(symbol).size());
            this->symbol(symbol, place.address);
            const InLine object(place.object, InLine::Keep::end, tree_room_.next());
            tree_room_.take(std::string_view(object).size());
            json_.member("object", std::string_view(object));
            json_.member("kind", to_string(place.kind));
            json_.counts(node.cells);
            json_.key(context_.options.tree == ReportTree::caller ? "callees" : "callers");
            this->nodes(node.below);
            json_.end_object();
        }
        json_.end_array();
    }

    void no_symbol(const NoSymbol& entry) {
        json_.begin_object();
        json_.member("reason", entry.reason);
        json_.member("remedy", entry.remedy.empty() ? std::nullopt : std::optional(entry.remedy));
        json_.counts(entry.cells);
        json_.array("objects", entry.objects, [](const std::string& object) { return object; });
        json_.end_object();
    }

    const ReportContext& context_;
    const Report& report_;
    JsonWriter json_;
    TreeRoom tree_room_;
    std::map<std::pair<std::uint32_t, std::string_view>, CodeIndex> functions_;  // by load and symbol, once needed
};

}  // namespace

void write_report_json(const ReportContext& context, const Report& report, const Sink& sink) {
    ReportJson(context, report, sink).write();
}

}  // namespace perfdata
