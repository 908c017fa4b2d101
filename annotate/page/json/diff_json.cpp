// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/page/diff_page.hpp"

#include "json_parts.hpp"
#include "page/diff_texts.hpp"

namespace perfdata {
namespace {

class DiffJson {
  public:
    DiffJson(const Diff& diff, const Sink& sink) : diff_(diff), json_(sink) {}

    void write() {
        json_.begin_object();
        json_.member("schema", "perfdata.diff/1");
        side("old", false);
        side("new", true);
        json_.key("events");
        json_.begin_array();
        for (const auto& one : diff_.events) event(one);
        json_.end_array();
        const auto& options = diff_.options;
        json_.member("compute", to_string(options.compute));
        if (options.compute == DiffCompute::wdiff) {
            json_.exact("old_weight", options.old_weight);
            json_.exact("new_weight", options.new_weight);
        }
        json_.member("normalize", to_string(options.normalize));
        if (options.normalize == DiffNormalize::event) json_.name("per_event", options.per_event);
        json_.member("percent_limit", options.percent_limit);
        test();
        if (!options.conditions.empty()) {
            json_.array("conditions", options.conditions,
                        [](const DiffCondition& one) { return std::string_view(one.text()); });
            json_.member("met", diff_.met);
        }
        json_.array("notes", diff_.notes, [](const std::string& note) { return std::string_view(note); });
        json_.array("rebuilt", diff_.rebuilt, [](const std::string& object) { return std::string(Shortened(object)); });
        json_.array("reloaded", diff_.reloaded, [](const std::string& name) { return std::string(Shortened(name)); });
        json_.key("rows");
        json_.begin_array();
        for (const auto& one : diff_.rows) row(one);
        json_.end_array();
        json_.end_object();
        json_.finish();
    }

  private:
    static constexpr std::size_t most_versions = 20;  // of a row, on a side

    void side(std::string_view name, bool is_new) {
        json_.key(name);
        json_.begin_array();
        for (const auto& one : diff_.recordings) {
            if (one.is_new == is_new) recording(one);
        }
        json_.end_array();
    }

    void recording(const DiffRecording& one) {
        json_.begin_object();
        write_recording(json_, one.recording);
        json_.key("seconds");
        if (one.seconds > 0) {
            json_.value(one.seconds);
        } else {
            json_.null();
        }
        json_.array("samples", one.whole, [](const EventCount& count) { return count.hits; });
        json_.array("periods", one.whole, [](const EventCount& count) { return count.periods; });
        json_.array("kept", one.kept, [](const EventCount& count) { return count.hits; });
        write_dropped(json_, one.dropped);
        json_.array("notes", one.notes, [](const std::string& note) { return std::string_view(note); });
        if (!one.without_samples.empty()) json_.member("without_samples", one.without_samples);
        write_completeness(json_, one.completeness, true);
        json_.end_object();
    }

    void event(const DiffColumn& column) {
        json_.begin_object();
        json_.name("name", column.name);
        counts("old", column.old_whole);
        counts("new", column.new_whole);
        json_.member("functions", std::uint64_t{column.rows});
        json_.member("hidden_rows", std::uint64_t{column.hidden_rows});
        json_.end_object();
    }

    void counts(std::string_view side, const EventCount& count) {
        json_.member(std::string(side) + "_samples", count.hits);
        json_.member(std::string(side) + "_periods", count.periods);
    }

    void test() {
        const auto& testing = diff_.testing;
        json_.key("test");
        json_.begin_object();
        json_.member("type", to_string(testing.test));
        json_.array("text", test_text(diff_), [](const std::string& line) { return line; });
        json_.member("rate", DiffTesting::rate);
        json_.member("can_tell", testing.can_tell);
        json_.member("tested", testing.tested);
        json_.member("untested", testing.untested);
        if (testing.test == DiffTest::permutation) {
            const bool known = testing.splits != std::numeric_limits<std::uint64_t>::max();
            json_.member("splits", known ? std::optional(testing.splits) : std::nullopt);
            json_.member("tried", testing.tried);
            json_.exact("smallest_p", testing.smallest_p);
            if (!testing.can_tell) json_.member("needed", std::uint64_t{testing.needed});
        }
        json_.end_object();
    }

    void row(const DiffRow& row) {
        const auto& pair = diff_.pairs[row.pair];
        json_.begin_object();
        json_.member("event", row.event);
        json_.name("object", pair.object);
        json_.name_or_null("symbol", pair.name);
        json_.member("kind", to_string(pair.kind));
        json_.exact("old", row.old_share);
        json_.exact("new", row.new_share);
        json_.exact("delta", row.delta);
        json_.exact("ratio", row.ratio.value_or(std::numeric_limits<double>::quiet_NaN()));
        json_.exact("wdiff", row.wdiff);
        json_.exact("p", row.p.value_or(std::numeric_limits<double>::quiet_NaN()));
        json_.member("noise", to_string(row.noise));
        json_.member("change", to_string(row.change));
        json_.member("code", to_string(pair.code));
        if (!diff_.options.conditions.empty()) json_.member("meets_condition", row.meets_condition);
        counts("old", row.old_count);
        counts("new", row.new_count);
        shares("old_shares", row.old_shares);
        shares("new_shares", row.new_shares);
        versions("old", pair.old_versions);
        versions("new", pair.new_versions);
        json_.end_object();
    }

    void shares(std::string_view name, const std::vector<double>& all) {
        if (!all.empty()) json_.array(name, all, [](double share) { return share; });
    }

    void versions(const std::string& side, std::span<const DiffVersion> all) {
        const auto told = all.first(std::min(all.size(), most_versions));
        json_.key(side + "_versions");
        json_.begin_array();
        for (const auto& one : told) {
            json_.begin_object();
            json_.name_or_null("id", one.id);
            json_.member("hits", one.hits);
            json_.end_object();
        }
        json_.end_array();
        if (told.size() != all.size()) {
            json_.member("more_" + side + "_versions", std::uint64_t{all.size() - told.size()});
        }
    }

    const Diff& diff_;
    JsonWriter json_;
};

}  // namespace

void write_diff_json(const Diff& diff, const Sink& sink) {
    DiffJson(diff, sink).write();
}

}  // namespace perfdata
