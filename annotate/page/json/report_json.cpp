// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"

#include "json_parts.hpp"
#include "page/report_words.hpp"

namespace perfdata {
namespace {

class ReportJson {
  public:
    ReportJson(const Report& report, const ReportJsonOptions& options, const Sink& sink)
        : report_(report), is_sparse_(options.sparse), json_(sink) {}

    void write() {
        json_.begin_object();
        json_.member("schema", "perfdata.report/1");
        write_recording(json_, report_.recording);
        json_.key("events");
        json_.begin_array();
        for (std::size_t column = 0; column < report_.events.size(); ++column) event(column);
        json_.end_array();
        groups();
        write_ratio_names(json_, report_.ratios, report_.kept);
        write_dropped(json_, report_.dropped);
        if (is_sparse_) json_.member("sparse", true);
        json_.array("sort", report_.options.keys, [](ReportKey key) { return words_of(key).name; });
        call_graph();
        write_histograms(json_, report_.histograms, report_.without_field,
                         [&](std::uint32_t event) { return std::string_view(report_.recording.events[event].name); });
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
        write_without_build_id(json_, report_.without_build_id);
        if (!report_.line_problems.empty()) {
            json_.array("line_problems", report_.line_problems,
                        [](const LineProblem& problem) { return problem.error.message(); });
        }
        if (!report_.inlined_problems.empty()) {
            json_.array("inlined_problems", report_.inlined_problems,
                        [](const Error& problem) { return problem.message(); });
        }
        const auto& chains = report_.chain_losses;
        json_.member("broken_chains", chains.broken);
        json_.member("stacks_not_unwound", report_.stacks.lacking());
        write_stacks(json_, report_.stacks);
        if (chains.cut != 0) json_.member("cut_chains", chains.cut);
        if (chains.deep != 0) json_.member("deep_chains", chains.deep);
        if (chains.folded != 0) json_.member("chains_without_inlined", chains.folded);
        if (!report_.without_samples.empty()) json_.member("without_samples", report_.without_samples);
        if (report_.options.tree != ReportTree::none) json_.member("small_branches", report_.small_branches);
        if (report_.cut_names != 0) json_.member("cut_names", report_.cut_names);
        if (report_.rows_without_tree != 0) json_.member("rows_without_tree", report_.rows_without_tree);
        write_completeness(json_, report_.completeness, true);
        json_.end_object();
        json_.finish();
    }

  private:
    // Writes how the trees were asked for.
    void call_graph() {
        const auto& options = report_.options;
        if (options.tree == ReportTree::none) return;
        constexpr std::array<std::string_view, 4> styles{"graph", "fractal", "flat", "folded"};
        constexpr std::array<std::string_view, 3> keys{"function", "address", "srcline"};
        constexpr std::array<std::string_view, 3> values{"percent", "period", "count"};
        json_.key("call_graph");
        json_.begin_object();
        json_.member("type", styles[static_cast<std::size_t>(options.tree_style)]);
        json_.member("order", std::string_view(options.tree == ReportTree::caller ? "caller" : "callee"));
        json_.member("key", keys[static_cast<std::size_t>(options.tree_key)]);
        json_.member("value", values[static_cast<std::size_t>(options.tree_value)]);
        json_.member("limit", options.tree_limit);
        json_.member("print_limit", options.tree_entries);
        json_.end_object();
    }

    // Writes which of the events were counted together.
    void groups() {
        if (report_.groups.empty()) return;
        json_.key("groups");
        json_.begin_array();
        for (const auto& group : report_.groups) {
            json_.begin_object();
            json_.name_or_null("name", group.name);
            json_.array("events", group.columns, [](std::size_t column) { return std::uint64_t{column}; });
            json_.end_object();
        }
        json_.end_array();
    }

    void event(std::size_t column) {
        const auto& whole = report_.whole[column];
        json_.begin_object();
        json_.member("name", report_.recording.events[report_.events[column]].name);
        json_.member("samples", whole.hits);
        json_.member("periods", whole.periods);
        json_.member("kept", report_.kept[column].hits);
        json_.end_object();
    }

    void percent(std::string_view name, std::span<const EventCount> cells) {
        json_.key(name);
        json_.begin_array();
        const auto value = [&](std::size_t column) {
            json_.value(share(cells[column].periods, report_.whole[column].periods));
        };
        if (is_sparse_) {
            for (const auto column : columns_) value(column);
        } else {
            for (std::size_t column = 0; column < cells.size(); ++column) value(column);
        }
        json_.end_array();
    }

    // Chooses and writes the columns that the arrays of this object are of: those with samples in any of the cells.
    void choose_columns(std::span<const EventCount> cells, std::span<const EventCount> others = {}) {
        if (!is_sparse_) return;
        columns_.clear();
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const bool is_used = cells[column] != EventCount() || (!others.empty() && others[column] != EventCount());
            if (is_used) columns_.push_back(column);
        }
        json_.array("columns", columns_, [](std::size_t column) { return std::uint64_t{column}; });
    }
    // Returns the cells of the chosen columns, valid until it is called again.
    std::span<const EventCount> chosen(std::span<const EventCount> cells) {
        if (!is_sparse_) return cells;
        chosen_.clear();
        for (const auto column : columns_) chosen_.push_back(cells[column]);
        return chosen_;
    }

    void row(const ReportRow& row) {
        const auto& options = report_.options;
        json_.begin_object();
        for (const auto key : options.keys) field(row, key);
        const auto& place = report_.places[row.place];
        if (!options.has(ReportKey::kind)) json_.member("kind", to_string(place.kind));
        if (options.has(ReportKey::symbol) || options.has(ReportKey::program)) bpf(place);
        choose_columns(row.self, options.children ? row.total : std::span<const EventCount>());
        json_.counts(chosen(row.self));
        percent("percent", row.self);
        write_ratios(json_, report_.ratios, row.self);
        if (options.children) {
            json_.array("with_callers", chosen(row.total), [](const EventCount& cell) { return cell.hits; });
            json_.array("periods_with_callers", chosen(row.total), [](const EventCount& cell) { return cell.periods; });
            percent("percent_with_callers", row.total);
            write_ratios(json_, report_.ratios, row.total, "ratios_with_callers");
        }
        if (options.tree != ReportTree::none) {
            json_.key(options.tree == ReportTree::caller ? "callees" : "callers");
            nodes(row.tree);
        }
        json_.end_object();
    }

    void field(const ReportRow& row, ReportKey key) {
        const auto& place = report_.places[row.place];
        const auto& task = report_.tasks[row.task];
        const auto name = words_of(key).name;
        switch (key) {
            case ReportKey::pid: return json_.member(name, signed_id(task.pid.value));
            case ReportKey::tid: return json_.member(name, signed_id(task.tid.value));
            case ReportKey::cpu: return json_.member(name, task.cpu);
            case ReportKey::object: json_.name(name, place.object); return json_.name_or_null("path", place.path);
            case ReportKey::symbol: return symbol(place.symbol, place);
            case ReportKey::program: return;  // see bpf()
            case ReportKey::parent: return json_.name_or_null(name, task.parent);
            case ReportKey::trace: return json_.name_or_null(name, task.label);
            default: return json_.name(name, key_text(report_, row, key));
        }
    }

    void symbol(std::string_view symbol, const ReportPlace& place) {
        if (symbol.empty()) {
            json_.member("symbol", std::optional<std::string_view>());
            json_.member("address", Address{place.address});
        } else {
            json_.name("symbol", symbol);
            if (place.inlined) json_.member("inlined", true);
        }
    }

    // Writes a row's programs and the BTF name of its function.
    void bpf(const ReportPlace& place) {
        if (place.loads.empty()) return;
        if (place.function != ReportPlace::no_function) json_.name("function", report_.functions[place.function]);
        const auto told = place.told_loads();
        if (told.size() < place.loads.size()) {
            json_.member("more_programs", std::uint64_t{place.loads.size() - told.size()});
        }
        json_.key("programs");
        json_.begin_array();
        for (const auto number : told) {
            // Without program_details at most the first program is known.
            const auto known = report_.programs.find(number);
            if (known != report_.programs.end()) program(known->second);
        }
        json_.end_array();
    }

    void program(const ReportProgram& program) {
        json_.begin_object();
        json_.member("id", program.id.value);
        json_.name("name", program.name);
        json_.member("tag", hex(program.tag));
        json_.member("loaded_at", program.loaded_at == Time{} ? std::nullopt : std::optional(program.loaded_at));
        json_.member("unloaded_at",
                     program.unloaded_at == Time::forever() ? std::nullopt : std::optional(program.unloaded_at));
        json_.end_object();
    }

    void nodes(const std::vector<ReportNode>& nodes) {
        json_.begin_array();
        for (const auto& node : nodes) {
            const auto& place = report_.tree_places[node.place];
            json_.begin_object();
            const InLine symbol(place.symbol, InLine::Keep::beginning, tree_room_.next());
            tree_room_.take(std::string_view(symbol).size());
            this->symbol(symbol, place);
            const InLine object(place.object, InLine::Keep::end, tree_room_.next());
            tree_room_.take(std::string_view(object).size());
            json_.member("object", std::string_view(object));
            json_.member("kind", to_string(place.kind));
            const auto key = report_.options.tree_key;
            if (key == TreeKey::address && !place.symbol.empty()) json_.member("offset", place.offset);
            if (key != TreeKey::function) {
                const bool known = !place.line.starts_with("??:");
                const InLine line(known ? place.line : std::string_view(), InLine::Keep::end, tree_room_.next());
                tree_room_.take(std::string_view(line).size());
                json_.name_or_null("line", line);
            }
            choose_columns(node.cells);
            json_.counts(chosen(node.cells));
            if (hits(node.ends) != 0) {
                json_.key("ends");
                json_.begin_object();
                choose_columns(node.ends);
                json_.counts(chosen(node.ends));
                json_.end_object();
            }
            json_.key(report_.options.tree == ReportTree::caller ? "callees" : "callers");
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

    const Report& report_;
    bool is_sparse_;
    JsonWriter json_;
    TreeRoom tree_room_;
    std::vector<std::size_t> columns_;  // of choose_columns()
    EventCounts chosen_;                // of chosen()
};

}  // namespace

void write_report_json(const Report& report, const Sink& sink, const ReportJsonOptions& options) {
    ReportJson(report, options, sink).write();
}

}  // namespace perfdata
