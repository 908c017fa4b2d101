// SPDX-License-Identifier: MIT
// perfdata annotate: listings of the functions that samples fell on.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <vector>

#include "perfdata/annotate/disassembler.hpp"
#include "perfdata/annotate/listing.hpp"

#include "tool.hpp"

namespace perfdata::tool {
namespace {

struct AnnotateOptions {
    Common common;
    std::vector<std::string> symbols;
    std::vector<std::string> events;
    std::vector<std::string> kinds = {"bpf"};
    std::string format = "text";
    std::string style = "att";
    std::string kallsyms;
    std::string percent_type = "global-hits";
    bool raw_bytes = false;
    bool show_periods = false;
};

// matches(wanted, ...): a BTF name, a kernel symbol, or program/subprogram, where the program is a name or an id and
// the subprogram a name or its number.
bool matches(std::string_view wanted, const Timeline& timeline, CodeIndex index, const FunctionName& name) {
    const auto& code = timeline.code()[index];
    if (wanted == name.name || wanted == code.symbol) return true;
    const auto slash = wanted.find('/');
    if (slash == std::string_view::npos || !code.load) return false;
    const auto program = wanted.substr(0, slash);
    const auto subprogram = wanted.substr(slash + 1);
    const auto is_number = [](std::string_view text, std::uint32_t number) { return text == std::to_string(number); };
    return (program == name.program || is_number(program, timeline.loads()[*code.load].id.value)) &&
           (subprogram == name.name || is_number(subprogram, code.subprogram));
}

class Annotate {
  public:
    explicit Annotate(const AnnotateOptions& options) : options_(options) {}

    int run() {
        auto recording = Recording::open(options_.common.file);
        if (!recording) return give_up(recording.error());
        if (recording->events().empty()) {
            for (const auto& problem : recording->diagnostics().kept()) complain(problem);
            return give_up({ErrorCode::missing, Error::no_offset, options_.common.file,
                            "no events can be read, so no samples either"});
        }
        auto timeline = Timeline::build(*recording);
        if (!timeline) return give_up(timeline.error());
        const auto events = chosen_events(*recording);
        if (!events) return give_up(events.error());
        auto profile = Profile::count(*recording, *timeline, {.stop = {}, .events = *events});
        if (!profile) return give_up(profile.error());
        auto kallsyms = read_kallsyms(*timeline);
        if (!kallsyms) return give_up(kallsyms.error());
        const Symbols symbols(*timeline, std::move(*kallsyms));
        if (auto chosen = choose(*profile, symbols); !chosen) return give_up(chosen.error());

        const auto disassembler =
            Disassembler::create(recording->arch(), options_.style == "intel" ? Syntax::intel : Syntax::att);
        auto completeness = timeline->completeness();
        std::set<std::string> told;
        std::vector<Listing> listings;
        for (const auto& function : chosen_) {
            auto listing = annotate(function, symbols, disassembler);
            for (const auto& problem : listing.problems) {
                // What the recorder could not get is no loss of ours.
                if (problem.code != ErrorCode::missing && told.insert(problem.message()).second) {
                    completeness.diagnostics.add(problem);
                }
            }
            listings.push_back(std::move(listing));
        }
        return write({*recording, *timeline, *profile, completeness}, listings);
    }

  private:
    static int give_up(const Error& error) {
        complain(error);
        return failed;
    }

    Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording) const {
        std::vector<std::uint32_t> chosen;
        const auto& events = recording.events().events();
        for (const auto& wanted : options_.events) {
            // By the whole name, or by what stands in front of its modifiers: "cycles" is "cycles:ppp", too.
            const auto found = std::ranges::find_if(events, [&](const Event& event) {
                return event.name == wanted || event.name.substr(0, event.name.find_first_of(":/")) == wanted;
            });
            if (found == events.end()) {
                std::string names;
                for (const auto& event : events) names += (names.empty() ? "" : ", ") + event.name;
                return fail(ErrorCode::missing, Error::no_offset, "--event",
                            fmt::format("no event {} in this recording; it has {}", wanted, names));
            }
            chosen.push_back(static_cast<std::uint32_t>(found - events.begin()));
        }
        std::ranges::sort(chosen);
        const auto repeated = std::ranges::unique(chosen);
        chosen.erase(repeated.begin(), repeated.end());
        return chosen;
    }

    Result<std::optional<Kallsyms>> read_kallsyms(const Timeline& timeline) const {
        if (options_.kallsyms.empty()) return std::nullopt;
        auto table = Kallsyms::open(options_.kallsyms);
        if (!table) return fail(table.error());
        if (auto fits = check_kallsyms(*table, timeline.kernel()); !fits) return fail(fits.error());
        return std::optional<Kallsyms>(std::move(*table));
    }

    // choose(...) fills chosen_ with what is shown and left_out_ with the rest.
    Result<void> choose(const Profile& profile, const Symbols& symbols) {
        const auto& timeline = symbols.timeline();
        for (const auto& [miss, cells] : profile.misses())
            unattributed_.push_back({std::string(to_string(miss)), cells});
        Cells other_kinds;
        Cells not_asked_for;
        for (const auto& function : profile.functions()) {
            const auto& code = timeline.code()[function.code];
            if (code.kind == CodeKind::out_of_line) {
                add(other_kinds, function.total);
            } else if (!asked_for(symbols, function.code)) {
                add(not_asked_for, function.total);
            } else {
                chosen_.push_back(function);
            }
        }
        if (hits(other_kinds) != 0) unattributed_.push_back({"out-of-line kernel code (kprobes, ftrace)", other_kinds});
        if (hits(not_asked_for) != 0)
            unattributed_.push_back({"BPF functions that --symbol leaves out", not_asked_for});
        if (options_.symbols.empty() || !chosen_.empty()) return {};

        // Asked for by name: shown even without a sample.
        for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
            if (timeline.code()[index].kind != CodeKind::out_of_line && asked_for(symbols, index)) {
                chosen_.push_back({index, Cells(profile.totals().size()), {}});
            }
        }
        if (chosen_.empty()) return fail(nothing_found(profile, symbols));
        return {};
    }

    bool asked_for(const Symbols& symbols, CodeIndex code) const {
        if (options_.symbols.empty()) return true;
        const auto name = symbols.name(code);
        return std::ranges::any_of(options_.symbols, [&](const std::string& wanted) {
            return matches(wanted, symbols.timeline(), code, name);
        });
    }

    Error nothing_found(const Profile& profile, const Symbols& symbols) const {
        constexpr std::size_t shown = 8;
        std::set<std::string> names;
        for (const auto& function : profile.functions()) {
            if (names.size() < shown) names.insert(symbols.name(function.code).name);
        }
        std::string list;
        for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
        return {ErrorCode::missing, Error::no_offset, "--symbol",
                fmt::format("no BPF function {} in this recording; {}", fmt::join(options_.symbols, " or "),
                            list.empty() ? "it has no samples in BPF code" : "with samples are " + list)};
    }

    int write(const PageContext& page, const std::vector<Listing>& listings) const {
        auto output = Output::open(options_.common.output);
        if (!output) return give_up(output.error());
        const auto sink = output->sink();
        if (options_.common.json || options_.format == "json") {
            write_json_page(page, listings, unattributed_, sink);
        } else {
            write_text(page, listings, wants_color(options_.common, *output), sink);
        }
        if (auto committed = output->commit(); !committed) return give_up(committed.error());
        warn_losses(options_.common, page.completeness);
        advise(listings);
        if (listings.empty() && !options_.common.quiet) {
            complain("no samples in BPF code: nothing to annotate (record with -a while a BPF program runs)");
        }
        return exit_code(options_.common, page.completeness);
    }

    // advise(...) says what would name the calls that have no name.
    void advise(const std::vector<Listing>& listings) const {
        if (!options_.kallsyms.empty() || options_.common.quiet) return;
        std::set<Address> unnamed;
        for (const auto& listing : listings) {
            for (const auto& row : listing.instructions) {
                if (row.target && row.target->name.empty()) unnamed.insert(row.target->address);
            }
        }
        if (unnamed.empty()) return;
        complain(
            fmt::format("note: {} kernel function{} called without a name here; --kallsyms FILE, a copy of the "
                        "recorded machine's /proc/kallsyms of the same boot, names them",
                        unnamed.size(), unnamed.size() == 1 ? " is" : "s are"));
    }

    void write_text(const PageContext& page, const std::vector<Listing>& listings, bool color, const Sink& sink) const {
        TextOptions text;
        text.color = color;
        text.raw_bytes = options_.raw_bytes;
        text.show_periods = options_.show_periods;
        text.percent_of = options_.percent_type == "global-period"  ? PercentOf::all_periods
                          : options_.percent_type == "local-hits"   ? PercentOf::function_hits
                          : options_.percent_type == "local-period" ? PercentOf::function_periods
                                                                    : PercentOf::all_hits;
        if (options_.symbols.empty()) write_text_summary(page, listings, unattributed_, text, sink);
        for (const auto& listing : listings) write_text_listing(page, listing, text, sink);
    }

    const AnnotateOptions& options_;
    std::vector<FunctionHits> chosen_;
    std::vector<Unattributed> unattributed_;
};

}  // namespace

void add_annotate(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("annotate", "Show BPF functions with the samples that fell on them");
    auto options = std::make_shared<AnnotateOptions>();
    options->common.add_to(*command);
    command
        ->add_option("-s,--symbol", options->symbols,
                     "Only this function: a BTF name, a kernel symbol (bpf_prog_<tag>_<name>), or\n"
                     "PROGRAM/SUBPROGRAM by names or numbers. May be given several times")
        ->allow_extra_args(false);
    command->add_option("-e,--event", options->events, "Count only samples of this event. May be given several times")
        ->allow_extra_args(false);
    command->add_option("--kind", options->kinds, "What kind of code to show: bpf")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"bpf"}));
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    command->add_option("-M,--disassembler-style", options->style, "Syntax of x86 instructions: att or intel")
        ->check(CLI::IsMember({"att", "intel"}));
    command->add_option("--kallsyms", options->kallsyms,
                        "Name kernel functions by this copy of the recorded machine's /proc/kallsyms");
    command
        ->add_option("--percent-type", options->percent_type,
                     "global-hits, global-period: of all samples; local-hits, local-period: of the function's")
        ->check(CLI::IsMember({"global-hits", "global-period", "local-hits", "local-period"}));
    command->add_flag("--asm-raw", options->raw_bytes, "Show the bytes of each instruction");
    command->add_flag("--show-total-period", options->show_periods, "A column of periods beside the hits");
    command->callback([options, &exit] { exit = Annotate(*options).run(); });
}

}  // namespace perfdata::tool
