// SPDX-License-Identifier: MIT
// perfdata bpf: the BPF programs of a recording.
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/recording/architecture.hpp"
#include "perfdata/symbols/bpf/bpf_links.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "tool.hpp"
#include "tool/bpf/bpf_page.hpp"
#include "tool/options/list_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

constexpr CodeClass listed_kinds[] = {CodeClass::bpf};

struct BpfChoice {
    Common common;
    ListChoice list;
    std::string code;  // empty, or "jited"
    bool linum = false;
    bool timeline = false;

    // Returns false if the options cannot be obeyed, and says so: exit code `usage`.
    bool makes_sense() const { return list.can_list("bpf", listed_kinds); }
};

// Returns what is wrong with a word of --code; nothing if it is right.
std::string wrong_code(const std::string& word) {
    if (word == "jited") return {};
    if (word == "xlated") return "perf does not record BPF instructions (xlated); jited is the native code";
    return fmt::format("{} is not known here; expected jited", word.empty() ? "an empty word" : word);
}

std::string cut_text(const BpfCode& code) {
    if (code.left_out() == 0) return {};
    return fmt::format("{} cut or left out: there are too many instructions",
                       code.left_out() == 1 ? "1 function is" : fmt::format("{} functions are", code.left_out()));
}

int run(const BpfChoice& choice) {
    const auto& common = choice.common;
    if (!choice.makes_sense()) return usage;
    Session session(common);
    if (!session.open()) return failed;
    if (refuses_profile(session.recording(), "perfdata bpf", "records of programs")) return usage;
    const auto filter = choice.list.filter(session.recording());
    if (!filter) return session.give_up(filter.error());
    BpfRecords records;
    if (!session.read_timeline(&records)) return failed;
    const auto& programs = session.bpf();
    const auto listed = choose(programs, *filter);
    const BpfLinks links(programs);
    const ProgramVariables variables(records, programs);
    const BpfView view{programs, links, records, variables, *filter, listed};

    std::optional<BpfCode> code;
    if (!choice.code.empty()) {
        const auto arch = find_architecture(session.recording());
        if (arch.guessed()) {
            session.note(
                fmt::format("the recording does not say its architecture; its code is read as that of {}, as {} "
                            "tells",
                            arch.name, arch.told_by));
        }
        code.emplace(programs, arch.name, choice.linum, session.recording().limits());
    }
    std::optional<ListedTimeline> timeline;
    if (choice.timeline) timeline.emplace(view);

    auto output = session.open_output();
    if (!output) return failed;
    if (common.json) {
        write_bpf_json(session.recording(), view, code ? &*code : nullptr, timeline ? &*timeline : nullptr,
                       output->sink());
    } else if (timeline) {
        write_timeline(view, *timeline, output->sink());
    } else if (code) {
        code->write(listed, output->sink());
    } else {
        write_bpf_text(view, output->sink());
    }
    if (!session.commit(*output)) return failed;
    const auto completeness = session.completeness();
    session.warn(completeness);
    if (code) {
        // One program is in the form of bpftool, without a headline.
        if (!common.json && listed.loads.size() == 1) session.note(listed.counts.text("entries"));
        session.note(cut_text(*code));
    }
    if (!common.quiet) choice.list.note_absent_names(programs, false);
    return session.exit_code(completeness, code && code->left_out() != 0);
}

}  // namespace

void add_bpf(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "bpf",
        "List the BPF programs: functions, prototypes, addresses, life times, what the kernel counted\n"
        "\n"
        "  perfdata bpf                        all of them, in order of loading\n"
        "  perfdata bpf --time 12,13           those that were there between these times\n"
        "  perfdata bpf -S step                those with a function of this name\n"
        "  perfdata bpf --timeline             when they were loaded and unloaded\n"
        "  perfdata bpf --code jited --linum   their native code, as bpftool prog dump prints it");
    auto choice = std::make_shared<BpfChoice>();
    choice->common.add_to(*command);
    choice->list.add_to(*command);
    auto* code = command
                     ->add_option("--code", choice->code,
                                  "Show the native code of the programs, as bpftool prog dump jited does; jited is the "
                                  "only word: perf does not record BPF instructions")
                     ->check(wrong_code, "")
                     ->type_name("jited");
    command->add_flag("--linum", choice->linum, "With --code: file, line and column of each source line")->needs(code);
    command
        ->add_flag("--timeline", choice->timeline,
                   "Show when programs were loaded and unloaded, and their code registered, record by record")
        ->excludes(code);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return run(*choice); });
}

}  // namespace perfdata::tool
