// SPDX-License-Identifier: MIT
// perfdata stat: the values of counters that perf stat recorded.
#include "perfdata/annotate/stat/stat.hpp"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "perfdata/annotate/page/stat_page.hpp"

#include "format/words.hpp"
#include "report/without_samples.hpp"
#include "tool.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/session.hpp"
#include "tool/usage.hpp"

namespace perfdata::tool {
namespace {

// How a mode is asked for, as perf spells it.
struct StatModeOption {
    const char* names;
    std::string_view word;
    StatMode mode;
    const char* help;
};
constexpr std::array<StatModeOption, 6> stat_mode_options = {{
    {"-A,--no-aggr", "--no-aggr", StatMode::none, "A value for each CPU"},
    {"--per-socket", "--per-socket", StatMode::socket, "A value for each processor socket"},
    {"--per-die", "--per-die", StatMode::die, "A value for each die"},
    {"--per-core", "--per-core", StatMode::core, "A value for each physical core"},
    {"--per-node", "--per-node", StatMode::node, "A value for each memory node"},
    {"--per-thread", "--per-thread", StatMode::thread, "A value for each thread that was counted"},
}};

// The word for a mode that has a value of its own, and what CLI11 has for the option without one.
constexpr std::string_view per_cache_option = "--per-cache", no_cache_level = "true";

// Returns the level that "L2" or "l2" names, as in perf; 0, the last, without a value; nothing for other words.
std::optional<std::uint32_t> stat_cache_level(std::string_view word) {
    if (word == no_cache_level) return 0;
    static_assert(most_cache_level == 4);
    return is_cache_level(word) ? std::optional(static_cast<std::uint32_t>(word[1] - '0')) : std::nullopt;
}

struct StatChoice {
    Common common;
    std::optional<StatMode> mode;
    std::string cache;  // of --per-cache; empty: not given
    std::optional<std::string> separator;

    // Returns false if the options contradict each other, and says so: exit code `usage`.
    bool makes_sense() const {
        if (!cache.empty() && !stat_cache_level(cache)) {
            complain(
                fmt::format("{}: {} is no level of caches; expected L1 to L{}, as in {}=L2, or nothing for the last",
                            per_cache_option, printable(cut(cache, 100)), most_cache_level, per_cache_option));
            return false;
        }
        if (common.color == "always" && !common.json) {
            complain("--color: counters have no colours, neither in text nor in CSV");
            return false;
        }
        // perf takes an empty one, and writes fields that nobody can tell apart.
        if (separator && separator->empty()) {
            complain("--field-separator: the text is empty; give one such as , or \\t");
            return false;
        }
        if (!separator || !common.json) return true;
        complain("--field-separator asks for another format than JSON");
        return false;
    }
    std::optional<StatMode> asked() const { return cache.empty() ? mode : StatMode::cache; }
    std::optional<std::string> text_separator() const {
        if (separator == "\\t") return "\t";
        return !separator && common.format == option_word(Format::csv) ? "," : separator;
    }
};

std::string_view stat_mode_word(StatMode mode) {
    if (mode == StatMode::cache) return per_cache_option;
    for (const auto& option : stat_mode_options) {
        if (option.mode == mode) return option.word;
    }
    return "the mode";
}

std::string refused_mode(const StatChoice& choice, const StatReading& reading) {
    const auto mode = choice.asked();
    if (!reading.mode_refused || !mode) return {};
    const auto* why = reading.facts.per_cpu ? "the values are of CPUs, not of threads"
                                            : "the values are of threads, on whatever CPU they ran";
    return fmt::format("{}: {}; they are added up as recorded", stat_mode_word(*mode), why);
}

std::string nothing_counted(const StatReading& reading) {
    if (reading.rounds != 0) return {};
    return fmt::format(
        "the recording has no STAT_ROUND, so nothing is shown of {}; `perfdata dump --type STAT` shows them",
        how_many(reading.values, "value"));
}

// titled: set if the text has a title, which says what was counted; with intervals it has none.
Result<StatReading> write(const StatChoice& choice, Session& session, const Output& output, const Sink& sink,
                          bool& titled) {
    const auto& recording = session.recording();
    const auto level = choice.cache.empty() ? 0 : stat_cache_level(choice.cache).value_or(0);
    const StatOptions options{choice.asked(), {}, session.progress("reading the counters", output), level};
    const auto what_else = [&](const StatReading& reading) {
        return reading.has_counted() ? std::string() : without_counters(recording, reading.completeness);
    };
    if (!choice.common.json) {
        StatText text(sink, choice.text_separator());
        const bool has_titles = !choice.text_separator();
        return read_stat(recording, options, [&](const auto& facts, const auto& round) {
            text.add(facts, round);
            titled = titled || (has_titles && facts.interval == 0);
        });
    }
    StatJson json(recording, sink);
    auto reading = read_stat(recording, options, [&](const auto& facts, const auto& round) { json.add(facts, round); });
    if (reading) json.finish(*reading, what_else(*reading));
    return reading;
}

int run(const StatChoice& choice) {
    if (!choice.makes_sense()) return usage;
    Session session(choice.common);
    if (!session.open()) {
        std::error_code ignored;
        if (!std::filesystem::exists(choice.common.file, ignored)) {
            session.note(about_word_of_stat(choice.common.file));
            if (!choice.cache.empty() && is_cache_level(choice.common.file)) {
                session.note(fmt::format("the level stands behind a =, as in {}=L2", per_cache_option));
            }
        }
        return failed;
    }
    if (refuses_profile(session.recording(), "perfdata stat", "values of counters")) return usage;
    auto output = session.open_output();
    if (!output) return failed;
    const auto sink = output->sink();
    bool titled = false;
    const auto reading = write(choice, session, *output, sink, titled);
    session.end_progress();
    if (!reading) return session.give_up(reading.error());
    if (!session.commit(*output)) return failed;
    session.warn(reading->completeness);
    if (!reading->has_counted()) {
        session.note(without_counters(session.recording(), reading->completeness));
    } else {
        session.note(nothing_counted(*reading));
    }
    session.note(refused_mode(choice, *reading));
    if (!choice.common.json && !titled) session.note(stat_programs_text(reading->facts));
    if (reading->hidden_rounds != 0) {
        session.note(fmt::format("{} of {}: not shown, for there are next to no values for the rows",
                                 reading->hidden_rounds, how_many(reading->rounds, "round")));
    }
    return session.exit_code(reading->completeness);
}

}  // namespace

void add_stat(CLI::App& app, int& exit) {
    auto* command =
        app.add_subcommand("stat",
                           "Show the counters of a recording of perf stat record, as perf stat report does.\n"
                           "\n"
                           "  perfdata stat                 all values, added up as they were recorded\n"
                           "  perfdata stat -A              a value for each CPU\n"
                           "  perfdata stat --per-core      a value for each core\n"
                           "  perfdata stat -x,             as CSV, as perf has it\n"
                           "  perfdata stat --json          exact numbers, for other programs");
    auto choice = std::make_shared<StatChoice>();
    choice->common.add_to(*command, {Format::text, Format::json, Format::csv});
    for (const auto& option : stat_mode_options) {
        auto* added = command->add_flag_callback(
            option.names, [choice = choice.get(), mode = option.mode] { choice->mode = mode; }, option.help);
        for (const auto& other : stat_mode_options) {
            if (&other == &option) break;
            added->excludes(command->get_option(std::string(other.word)));
        }
    }
    auto* cache = command->add_flag(std::string(per_cache_option), choice->cache,
                                    "A value for each cache of the last level, or with --per-cache=L1 to L4 of that "
                                    "one, of the CPUs that share it");
    cache->type_name("[=L1..L4]");
    for (const auto& other : stat_mode_options) cache->excludes(command->get_option(std::string(other.word)));
    command
        ->add_option_function<std::string>(
            "-x,--field-separator",
            [choice = choice.get()](const std::string& separator) { choice->separator = separator; },
            "CSV, with this text between its fields, such as , or \\t; what names contain is not quoted")
        ->excludes("--json")
        ->type_name("TEXT");
    choice->common.recorder = "perf stat record -o perf.data -- COMMAND";
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return run(*choice); });
}

}  // namespace perfdata::tool
