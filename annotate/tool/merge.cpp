// SPDX-License-Identifier: MIT
// perfdata merge: the sum of profiles, as a profile.
#include "recording/stored/merge.hpp"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/content.hpp"
#include "perfdata/recording/named_file.hpp"

#include "core/platform.hpp"
#include "format/words.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/shared_facts.hpp"
#include "tool.hpp"
#include "tool/output/made_permissions.hpp"
#include "tool/profile/kept_dimensions.hpp"
#include "tool/profile/profile_output.hpp"
#include "tool/profile/profile_summary.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct MergeChoice {
    Common common;
    KeepChoice keep;
    bool allow_duplicates = false;
};

class MergeRun {
  public:
    explicit MergeRun(const MergeChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (const auto problem = choice_.keep.problem(); !problem.empty()) {
            complain(problem);
            return usage;
        }
        const auto limits = choice_.common.take_limits();
        if (!limits) return session_.give_up(limits.error());
        for (const auto& file : choice_.common.files) {
            auto model = read(file, *limits);
            if (!model) return session_.give_up(model.error());
            // What is not kept takes no room meanwhile.
            if (const auto kept = keeps(*model); kept != model->facts.keeps) {
                *model = stored::keep_only(std::move(*model), kept);
            }
            waiting_.push_back({shown_name(file), std::move(*model)});
            if (waiting_.size() <= most_waiting) continue;
            if (auto merged = merge_waiting(); !merged) return session_.give_up(merged.error());
        }
        if (auto merged = merge_waiting(); !merged) return session_.give_up(merged.error());
        session_.end_progress();
        const auto& model = waiting_.front().model;
        if (const auto status = write_profile_output(choice_.common, session_, model, permissions_); status != fine)
            return status;
        tell(model);
        return choice_.common.strict && has_stored_losses(model) ? losses : fine;
    }

  private:
    // So many profiles are in memory at once: the sum of those before, and some more. The order of merging makes no
    // difference.
    static constexpr std::size_t most_waiting = 32;

    static std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

    std::uint32_t keeps(const stored::Model& model) const { return model.facts.keeps & choice_.keep.dimensions(); }

    Result<stored::Model> read(const std::string& file, const Limits& limits) {
        const auto name = shown_name(file);
        const Watch watch{{}, session_.progress("reading " + name)};
        const auto source = open_source(file, limits, Content::any, watch);
        if (!source) return fail(named(source.error(), name));
        permissions_ &= made_permissions(everybody_may_read(**source));
        // Behind damage of the packing there may be more: a part is no profile.
        if (auto damage = (*source)->damage()) return fail(named(std::move(*damage), name));
        constexpr std::size_t enough = 32;
        const auto start = read_part(**source, 0, enough);
        if (!start) return fail(named(start.error(), name));
        if (!stored::is_profile(as_bytes(*start))) {
            return fail(ErrorCode::not_perf_data, Error::no_offset, name,
                        "is no profile; `perfdata profile -o FILE` makes one of a recording");
        }
        return stored::read_profile(**source, name, limits, watch);
    }

    static Error named(Error error, const std::string& name) {
        if (error.where.empty()) error.where = name;
        return error;
    }

    // Leaves one profile, the sum of those that wait.
    Result<void> merge_waiting() {
        if (waiting_.size() == 1) return {};
        auto name = fmt::format("{} and {} more", waiting_.front().name, waiting_.size() - 1);
        if (more_ != 0) name = fmt::format("{} and {} more", first_, more_ + waiting_.size() - 1);
        if (more_ == 0) first_ = waiting_.front().name;
        more_ += waiting_.size() - 1;
        auto merged = stored::merge(std::move(waiting_), {choice_.allow_duplicates, {}});
        waiting_.clear();
        if (!merged) return fail(std::move(merged.error()));
        waiting_.push_back({std::move(name), std::move(*merged)});
        return {};
    }

    void tell(const stored::Model& model) const {
        for (const auto& text : partial_texts(model)) session_.note("the profile is partial: " + text);
        Completeness completeness;
        for (auto& problem : full_sums(model)) completeness.diagnostics.add(std::move(problem));
        session_.warn(completeness, false);
        session_.note(pprof_sums_text(model));
        for (const auto& text : left_out_texts(model)) session_.note("left out: " + text);
        if (const auto versions = stored::differing(model); versions != 0) {
            session_.note(fmt::format("{} of functions had other code in some of the recordings: one of them is kept",
                                      how_many(versions, "version")));
        }
        if (const auto lacking = choice_.keep.dimensions() & ~model.facts.keeps; lacking != 0) {
            session_.note(fmt::format("not kept, as one of the profiles lacks it: {}",
                                      fmt::join(dimension_words(lacking), ", ")));
        }
    }

    const MergeChoice& choice_;
    Session session_;
    std::vector<stored::Named> waiting_;
    std::uint32_t permissions_ = all_permissions;  // that all of them have
    std::string first_;                            // of those that were merged
    std::size_t more_ = 0;
};

}  // namespace

void add_merge(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "merge",
        "Add profiles up: those of several runs, or of many machines\n"
        "\n"
        "  perfdata merge a.profile.pb.gz b.profile.pb.gz -o all.profile.pb.gz\n"
        "  perfdata merge --keep comm,symbol day/*.profile.pb.gz -o day.profile.pb.gz\n"
        "\n"
        "`perfdata profile` makes profiles of recordings. Their order makes no difference, nor does it if some of\n"
        "them were merged before.");
    auto choice = std::make_shared<MergeChoice>();
    choice->common.add_files_to(*command, {Format::profile}, "Profiles (- is standard input)");
    choice->common.add_summary_to(*command);
    command->add_flag("--allow-duplicates", choice->allow_duplicates,
                      "Add up the same recording as often as it is there, and do not refuse it");
    choice->keep.add_to(*command);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return MergeRun(*choice).run(); });
}

}  // namespace perfdata::tool
