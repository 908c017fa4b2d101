// SPDX-License-Identifier: MIT
// perfdata profile: what a recording says, counted, as a small file.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/recording/left_out.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/timeline/code_class.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "bundle/trusted_sources.hpp"
#include "core/platform.hpp"
#include "recording/stored/canonical.hpp"
#include "report/most_sampled.hpp"
#include "report/without_samples.hpp"
#include "stored/profile_maker.hpp"
#include "tool.hpp"
#include "tool/batch/batch_action.hpp"
#include "tool/options/line_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/private_option.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/output/made_permissions.hpp"
#include "tool/profile/kept_dimensions.hpp"
#include "tool/profile/profile_output.hpp"
#include "tool/profile/profile_summary.hpp"
#include "tool/run_scope.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct MakeProfileChoice {
    Common common;
    NameChoice names;
    LineChoice lines;
    SampleChoice samples;
    KeepChoice keep;
    bool private_files = false;
    std::uint32_t max_stack = SampleCountOptions().max_stack;
};

class MakeProfileRun {
  public:
    explicit MakeProfileRun(const MakeProfileChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (const auto problem = choice_.keep.problem(); !problem.empty()) {
            complain(choice_.common, problem);
            return usage;
        }
        if (!session_.open_samples()) return failed;
        const auto& recording = session_.recording();
        if (recording.is_profile()) {
            session_.end_progress();
            complain(choice_.common,
                     fmt::format("{} is a profile already; `perfdata merge --keep LIST -o FILE` makes a smaller one",
                                 choice_.common.file));
            return usage;
        }
        auto filter = choice_.samples.filter(recording);
        if (!filter) return session_.give_up(filter.error());
        if (!choice_.samples.can_tell(choice_.common, recording, *filter)) return usage;
        session_.allow_private(choice_.private_files);
        session_.hand_on();
        if (!session_.read_timeline(choice_.names, &choice_.lines)) return failed;
        choice_.samples.add_cgroups(*filter, session_.timeline().tasks());
        session_.open_symbolizer(choice_.names, &choice_.lines);
        if (!session_.check_names(choice_.names)) return failed;
        session_.symbolizer().prepare(choice_.names.threads());
        if (!choice_.common.quiet) choice_.samples.note_lacking_fields(choice_.common, recording, *filter);
        auto made = make(std::move(*filter));
        session_.end_progress();
        if (!made) return session_.give_up(made.error());
        if (const auto status =
                write_profile_output(choice_.common, session_, *made, permissions(*made), choice_.names.threads());
            status != fine) {
            return status;
        }
        auto completeness = session_.completeness();
        for (auto& problem : full_sums(*made)) completeness.diagnostics.add(std::move(problem));
        session_.warn(completeness, unnamed_kernel_);
        tell(*made);
        session_.count_samples(sum_of_hits(*made));
        return session_.exit_code(completeness, has_stored_losses(*made));
    }

  private:
    Result<stored::Model> make(SampleFilter filter) {
        ProfileMakerOptions options;
        options.filter = std::move(filter);
        options.max_stack = choice_.max_stack;
        options.jobs = choice_.names.threads();
        options.watch = {session_.stop(), session_.progress("counting samples")};
        const auto& used = session_.symbolizer_options();
        TrustedSources sources({session_.symbolizer(),
                                used,
                                *used.files,
                                nullptr,
                                session_.recording().limits(),
                                session_.why_no_private_sources(),
                                choice_.private_files,
                                {session_.stop(), {}}});
        options.sources = &sources;
        std::vector<std::uint32_t> used_objects;
        options.used = [&](std::uint32_t object) { used_objects.push_back(object); };
        options.left_out = [&](std::string_view what, std::string_view file, std::uint64_t samples) {
            left_out_[std::string(what)].emplace_back(file.substr(file.rfind('/') + 1), samples);
        };
        auto model = make_profile(session_.recording(), session_.symbolizer(), options);
        if (!model) return model;
        example_ = sources.example();
        unnamed_kernel_ = has_unnamed_kernel(*model);
        if (!choice_.common.quiet) unnamed_ = unnamed_samples(*model);
        // What a bundle has was judged when it was packed.
        if (!session_.recording().bundle()) note_restricted(used_objects);
        const auto filters = choice_.samples.given();
        if (!filters.empty()) note_filters(*model, filters);
        if (filters.empty() && choice_.keep.dimensions() == stored::all_dimensions) return model;
        return stored::keep_only(std::move(*model), choice_.keep.dimensions());
    }

    void note_restricted(const std::vector<std::uint32_t>& objects) {
        const auto& symbolizer = session_.symbolizer();
        for (const auto object : objects) {
            for (const auto& file : symbolizer.files_read(object)) {
                const auto& source = file->source();
                if (!is_own_vdso(source) && !everybody_may_read(source)) has_restricted_file_ = true;
            }
        }
        for (const auto& code : symbolizer.jit().codes()) {
            if (!everybody_may_read(code->dump().source())) has_restricted_file_ = true;
        }
    }

    // As those of a bundle: what the recording has, but none for others than the owner if the profile may say more than
    // everybody could read here.
    std::uint32_t permissions(const stored::Model& model) const {
        const auto says_more = [](const stored::Function& function) {
            const auto kind = function.kind_of_code.as<CodeClass>();
            return kind == CodeClass::kernel || kind == CodeClass::module || kind == CodeClass::out_of_line ||
                   function.kind.is(FrameKind::memory);  // a perf map
        };
        const auto has_text = [&](const stored::SourcePlace& place) { return !model.text(place.text).empty(); };
        if (has_restricted_file_ || std::ranges::any_of(model.functions, says_more) ||
            std::ranges::any_of(model.places, has_text)) {
            return owner_permissions;
        }
        const auto& recording = session_.recording();
        if (recording.bundle()) return made_permissions(everybody_may_read(recording.bundle()->source()));
        const auto is_everybodys = [](const Recording::InputFile& file) { return everybody_may_read(*file.content); };
        return made_permissions(std::ranges::all_of(recording.input_files(), is_everybodys));
    }

    static std::uint64_t sum_of_hits(const stored::Model& model) {
        std::uint64_t samples = 0;
        for (const auto& cell : model.cells) samples = add_up_to_most(samples, cell.hits);
        return samples;
    }

    static bool has_unnamed_kernel(const stored::Model& model) {
        const auto is_kernel = [](const stored::Nameless& row) {
            return row.kind.is(CodeClass::kernel) || row.kind.is(CodeClass::module);
        };
        return !model.facts.has_kernel_names && std::ranges::any_of(model.nameless, is_kernel);
    }

    // Whoever reads the profile is told that it has not all of the recording.
    static void note_filters(stored::Model& model, const std::vector<std::string>& filters) {
        const auto add = [&](std::string text) {
            model.texts.push_back({std::move(text)});
            return stored::Ref<stored::Text>(model.texts.size() - 1);
        };
        const auto detail = fmt::format("it has only samples that {} chose when it was made", fmt::join(filters, ", "));
        model.facts.partial.push_back({stored::PartialKind::filter, add("profile"), add(detail)});
    }

    void tell(const stored::Model& model) const {
        for (const auto& text : partial_texts(model)) session_.note("the profile is partial: " + text);
        session_.note(pprof_sums_text(model));
        for (const auto& [what, some] : left_out_) {
            if (model.facts.left_out.empty()) break;  // without lines it lacks no text of them
            std::vector<std::string> names;
            for (const auto name : most_sampled({some.begin(), some.end()})) names.emplace_back(name);
            session_.note(
                fmt::format("left out: {} ({})", left_out_text(some.size(), what), listed(names, some.size())));
        }
        tell_unnamed();
        session_.note(session_.why_recording_is_others());
        session_.note(example_);
        const auto& problems = session_.symbolizer().problems();
        const auto first = std::ranges::find_if(problems, is_private);
        if (first != problems.end()) {
            session_.note(session_.private_remedy(static_cast<std::size_t>(std::ranges::count_if(problems, is_private)),
                                                  first->where));
        }
        if (!choice_.common.quiet) choice_.samples.note_absent_tasks(choice_.common, session_.timeline());
        if (!model.cells.empty()) return;
        const auto what = without_samples(session_.recording(), session_.timeline().completeness());
        session_.note(what.empty() ? "no samples in the profile: the options leave none" : what);
    }

    // What has no name now has none in the profile, whatever is found later.
    void tell_unnamed() const {
        if (!choice_.keep.keeps(stored::Dimension::symbol)) return;
        for (const auto& note : unnamed_.notes()) session_.note(note);
        if (!unnamed_.reasons.empty()) {
            session_.note("a profile has the names that are found when it is made: make it again with what is missing");
        }
    }

    const MakeProfileChoice& choice_;
    Session session_;
    UnnamedSamples unnamed_;  // of the whole recording
    // By why their text is left out: source files, without their directories, and the samples of their functions.
    std::map<std::string, std::vector<std::pair<std::string, std::uint64_t>>> left_out_;
    std::string example_;  // see TrustedSources::example()
    bool unnamed_kernel_ = false, has_restricted_file_ = false;
};

CLI::App* add_profile_options(CLI::App& app, const std::shared_ptr<MakeProfileChoice>& choice) {
    auto* command = app.add_subcommand(
        "profile",
        "Write what a recording says, counted, as a small file that needs nothing else\n"
        "\n"
        "  perfdata profile -o app.profile.pb.gz         then, anywhere:\n"
        "  perfdata report app.profile.pb.gz             and so annotate, export and merge\n"
        "  perfdata profile --keep comm,symbol -o app.profile.pb.gz\n"
        "  go tool pprof app.profile.pb.gz               it is pprof's format, with more in it\n"
        "\n"
        "A profile has the functions that were sampled with their code and lines, call chains and counts. Single\n"
        "samples, with their times and payloads, are not in it.");
    choice->common.add_to(*command, {Format::profile});
    choice->common.add_summary_to(*command);
    choice->keep.add_to(*command);
    add_whole(*command, "--max-stack", choice->max_stack,
              "Frames of a call chain, innermost first (default 1024); inlined functions do not count",
              {1, 65535, "a number from 1 to 65535 (default 1024)"});
    choice->samples.add_to(*command);
    choice->names.add_to(*command);
    choice->names.add_code_to(*command);
    choice->lines.add_to(*command);
    add_private_to(*command, choice->private_files);
    return command;
}

}  // namespace

void add_profile(CLI::App& app, int& exit) {
    auto choice = std::make_shared<MakeProfileChoice>();
    auto* command = add_profile_options(app, choice);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return MakeProfileRun(*choice).run(); });
}

BatchAction batch_profile(CLI::App& app) {
    const auto choice = std::make_shared<MakeProfileChoice>();
    auto* command = add_profile_options(app, choice);
    const auto run = [choice](const Common& common) {
        auto one = *choice;
        one.common = common;
        one.names.jobs = common.scope->threads;
        return MakeProfileRun(one).run();
    };
    return {command, &choice->common, [choice] { return choice->keep.problem(); }, run, "profile.pb.gz", false};
}

}  // namespace perfdata::tool
