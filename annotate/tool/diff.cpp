// SPDX-License-Identifier: MIT
// perfdata diff: functions by how much they changed between two recordings, or between two sides of several.
#include "perfdata/annotate/diff/diff.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/annotate/diff/diff_counting.hpp"
#include "perfdata/annotate/page/diff_page.hpp"
#include "perfdata/symbols/symbol_cache.hpp"

#include "tool.hpp"
#include "tool/diff/diff_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/percent_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/options/screen_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct DiffCommand {
    Common common;
    DiffChoice diff;
    SampleChoice samples;
    NameChoice names;
    PercentChoice percent;
    ScreenChoice screen;
};

class DiffRun {
  public:
    // Runs of one program have its files in common. Where memory is limited, each recording reads its own.
    explicit DiffRun(const DiffCommand& choice)
        : choice_(choice), files_(choice.common.max_memory == 0 ? std::make_shared<const SymbolCache>() : nullptr) {}

    int run() {
        if (const auto problem = choice_.diff.contradiction(); !problem.empty()) {
            complain(problem);
            return usage;
        }
        // One recording is open at a time: of each only the counts are kept.
        std::vector<DiffCounts> old_side, new_side;
        for (const auto& file : choice_.diff.old_side()) {
            if (const auto status = read(file, old_side); status != fine) return status;
        }
        for (const auto& file : choice_.diff.new_side()) {
            if (const auto status = read(file, new_side); status != fine) return status;
        }
        DiffOptions options;
        choice_.diff.choose(options);
        options.percent_limit = choice_.percent.limit;
        const auto diff = Diff::make(old_side, new_side, options);
        if (!diff) return give_up(diff.error());
        warn_of_conditions(*diff);
        return write(*diff);
    }

  private:
    static int give_up(const Error& error) {
        complain(error);
        return failed;
    }

    // Counts one recording.
    int read(const std::string& file, std::vector<DiffCounts>& side) {
        auto common = choice_.common;
        common.file = file;
        Session session(common);
        if (!session.open_samples()) return failed;
        const auto& recording = session.recording();
        const bool suits = ProfileNeeds(common, recording)
                               .kept(true, "perfdata diff", stored::Dimension::object)
                               .kept(true, "perfdata diff", stored::Dimension::symbol)
                               .met();
        if (!suits || !choice_.samples.suits(common, recording)) return usage;
        auto filter = choice_.samples.filter(recording);
        if (!filter) return session.give_up(about(file, filter.error()));
        if (!choice_.samples.can_tell(common, recording, *filter)) return usage;
        session.share(files_);
        if (!session.read_timeline(choice_.names)) return failed;
        choice_.samples.add_cgroups(*filter, session.timeline().tasks());
        session.open_symbolizer(choice_.names);
        if (!session.check_names(choice_.names)) return failed;
        session.symbolizer().prepare(choice_.names.threads());
        if (!common.quiet) choice_.samples.note_lacking_fields(common, recording, *filter);
        auto counts = count_for_diff(recording, session.symbolizer(),
                                     {std::move(*filter),
                                      choice_.percent.relative(),
                                      {},
                                      session.progress("counting samples"),
                                      choice_.names.threads()});
        session.end_progress();
        if (!counts) return session.give_up(about(file, counts.error()));
        // As the user named it: a bundle would say what it was recorded as.
        counts->recording.path = file;
        // What would supply names of the kernel is said once.
        session.warn(counts->completeness, counts->unnamed_kernel && !said_kernel_);
        said_kernel_ = said_kernel_ || counts->unnamed_kernel;
        if (!common.quiet) choice_.samples.note_absent_tasks(common, session.timeline());
        if (!counts->without_samples.empty()) session.note(fmt::format("{}: {}", file, counts->without_samples));
        lost_ = lost_ || session.exit_code(counts->completeness) != fine;
        side.push_back(std::move(*counts));
        return fine;
    }

    static Error about(const std::string& file, Error error) {
        if (error.code == ErrorCode::out_of_memory) return error;
        error.where = error.where.empty() ? file : file + ": " + error.where;
        return error;
    }

    // A condition on noise holds for nothing that cannot be tested: whoever looks at the status alone would take that
    // for a good answer.
    void warn_of_conditions(const Diff& diff) const {
        const auto asks = [](const DiffCondition& one) { return one.text().find("noise") != std::string::npos; };
        if (choice_.common.quiet || std::ranges::none_of(diff.options.conditions, asks)) return;
        const auto is_untested = [](const DiffRow& row) {
            return row.noise == DiffNoise::too_few || row.noise == DiffNoise::no_names;
        };
        const auto untested = std::ranges::count_if(diff.rows, is_untested);
        if (untested == 0) return;
        complain(
            fmt::format("warning: --fail-if: {} of {} functions cannot be told from noise, so `noise = no` holds "
                        "for none of them: the notes of the comparison say why",
                        untested, diff.rows.size()));
    }

    int write(const Diff& diff) {
        const auto& common = choice_.common;
        const bool paged = !common.json && !choice_.screen.no_pager;
        auto output = paged ? Output::open_paged(common.place) : common.open_output();
        if (!output) return give_up(output.error());
        if (common.json) {
            write_diff_json(diff, output->sink());
        } else {
            const DiffTextOptions look{wants_color(common, *output)};
            choice_.screen.write(*output, "# ", [&](const Sink& sink) { write_diff_text(diff, look, sink); });
        }
        if (auto committed = common.commit(*output); !committed) return give_up(committed.error());
        if (lost_) return losses;
        return diff.met != 0 ? held : fine;
    }

    const DiffCommand& choice_;
    const std::shared_ptr<const SymbolCache> files_;
    bool said_kernel_ = false;  // that it lacks names
    bool lost_ = false;         // with --strict: something could not be read
};

}  // namespace

void add_diff(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "diff",
        "Show which functions changed between two recordings, and which changes are noise\n"
        "\n"
        "  perfdata diff                       perf.data.old and perf.data, which perf record left here\n"
        "  perfdata diff old.data new.data     what moved most first; ~ marks what is within noise\n"
        "  perfdata diff --old a1 a2 a3 a4 --new b1 b2 b3 b4    runs of each: tests what runs differ by\n"
        "  perfdata diff old.data new.data -c ratio --normalize time\n"
        "  perfdata diff old.data new.data --fail-if 'delta > 5% noise = no'    for CI: exits with 4");
    auto choice = std::make_shared<DiffCommand>();
    choice->diff.add_to(*command);
    choice->common.add_rest_to(*command);
    choice->common.add_stdio_to(*command);
    choice->percent.add_to(*command,
                           "Leave out functions with less percent than this on both sides, such as 0.5 (default 0: "
                           "none)");
    choice->screen.add_to(*command);
    choice->samples.add_to(*command);
    choice->names.add_to(*command);
    choice->common.recordings = [self = choice.get()] {
        auto all = self->diff.old_side();
        const auto others = self->diff.new_side();
        all.insert(all.end(), others.begin(), others.end());
        return all;
    };
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return DiffRun(*choice).run(); });
}

}  // namespace perfdata::tool
