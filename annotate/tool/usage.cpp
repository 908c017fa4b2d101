// SPDX-License-Identifier: MIT
#include "usage.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/platform.hpp"
#include "format/words.hpp"
#include "tool.hpp"
#include "tool/options/near_names.hpp"
#include "tool/options/value_words.hpp"
#include "tool/output/streams.hpp"

namespace perfdata::tool {
namespace {

// Returns the most similar name; empty if none is similar.
std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    auto near = near_names(word, known);
    return near.empty() ? std::string() : std::move(near.front());
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

// Says what replaces a command of perf here; empty for other words.
std::string as_perf_has_it(std::string_view word) {
    if (word == "record" || word == "top") return "perf record makes recordings, perfdata reads them";
    if (word == "evlist" || word == "buildid-list")
        return fmt::format("what perf {} shows is in `perfdata info`", word);
    return {};
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
    const auto names = command_names(app);
    const auto shown = printable(cut(word, 100));
    auto text = fmt::format("there is no command {}; ", shown);
    std::error_code ignored;
    if (auto hint = as_perf_has_it(word); !hint.empty()) {
        text += hint;
    } else if (const auto meant = nearest(word, names); !meant.empty()) {
        text += fmt::format("did you mean {}?", meant);
    } else if (std::filesystem::exists(word, ignored)) {
        text += fmt::format("for the file of that name: perfdata report {}", shown);
    } else {
        text += fmt::format("there are {}", fmt::join(names, ", "));
    }
    return text;
}

// Returns all spellings of a command's options.
std::vector<std::string> all_option_names(const CLI::App& command) {
    std::vector<std::string> names;
    const auto add = [&](const CLI::App& one) {
        for (const auto* option : one.get_options()) {
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        }
    };
    add(command);
    for (const auto* part : command.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); })) {
        add(*part);
    }
    return names;
}

// Options of perf that another option or command replaces here.
struct PerfOption {
    std::string_view command, option, words;  // command: empty for all
};
constexpr PerfOption perf_options[] = {
    {"", "--header-only", "`perfdata info` shows the header"},
    {"", "-I", "`perfdata info` shows the header"},
    {"", "-D", "`perfdata dump` shows all records"},
    {"", "--dump-raw-trace", "`perfdata dump` shows all records"},
    {"", "--stats", "`perfdata info --completeness` counts the records"},
    {"", "--tasks", "`perfdata dump --type COMM --type FORK --type EXIT` shows the tasks"},
    {"", "--mmaps", "`perfdata dump --type MMAP --type MMAP2` shows the mappings"},
    {"", "--show-mmap-events", "`perfdata dump --type MMAP --type MMAP2` shows them"},
    {"", "--show-task-events", "`perfdata dump --type COMM --type FORK --type EXIT` shows them"},
    {"", "--tui", "output is text here; `perfdata annotate -o page.html` writes a page to click through"},
    {"", "--gtk", "output is text here; `perfdata annotate -o page.html` writes a page to click through"},
    {"", "-v", "`perfdata info --verbose` shows the header in full, `perfdata dump` all records"},
    {"", "--verbose", "`perfdata info --verbose` shows the header in full, `perfdata dump` all records"},
    {"", "--force", "files of any owner are read without it"},
    {"", "-f", "files of any owner are read without it"},
    {"report", "-c", "--comm chooses threads by name"},
    {"annotate", "-c", "--comm chooses threads by name"},
    {"script", "-d", "--dso chooses objects by name"},
    {"info", "--header", "the header is what info shows"},
    {"", "--header", "`perfdata info` shows the header"},
    {"report", "--hierarchy", "rows are told apart by all keys of --sort at once"},
    {"report", "--mem-mode", "`perfdata script -F +data_src,+addr` shows each access"},
    {"report", "--symbol-filter", "-S chooses functions by their whole names"},
    {"report", "--no-source", "`perfdata annotate` shows source lines"},
    {"", "-T", "`perfdata report --sort tid` tells threads apart"},
    {"", "--threads", "`perfdata report --sort tid` tells threads apart"},
    {"annotate", "-G", "`perfdata annotate --calls` says who calls whom"},
    {"", "-G", "`perfdata report` and `perfdata script` show call chains"},
    {"", "-F", "`perfdata report -F` and `perfdata script -F` choose what is shown"},
    {"", "--fields", "`perfdata report -F` and `perfdata script -F` choose what is shown"},
    {"", "-w", "lines are cut only in `perfdata report`, `annotate` and `diff`"},
    {"", "--width", "lines are cut only in `perfdata report`, `annotate` and `diff`"},
    {"", "--no-pager", "only `perfdata report`, `annotate` and `diff` start a pager"},
    {"", "--pager", "$PAGER names the pager of `perfdata report`, `annotate` and `diff`"},
    {"", "--demangle", "no names from ELF files are shown here"},
    {"", "--no-demangle", "no names from ELF files are shown here"},
    {"", "-l", "`perfdata annotate` shows lines of source"},
    {"", "--print-line", "`perfdata annotate` shows lines of source"},
    {"", "--branch-history", "`perfdata annotate --calls` shows what branch stacks tell"},
    {"report", "-b", "`perfdata annotate --calls` shows what branch stacks tell"},
    {"report", "--branch-stack", "`perfdata annotate --calls` shows what branch stacks tell"},
    {"script", "-s", "`perfdata script --json` is for other programs; -S chooses functions"},
};

// Options of other commands that mean nothing to some.
constexpr std::string_view of_samples =
    "that chooses among samples, and what is listed has none: --time, --dso, -S and --kind choose here";
constexpr std::string_view of_rows = "percentages choose among rows, which report and annotate have";
constexpr PerfOption foreign_options[] = {
    {"bpf", "--pid",
     "BPF programs belong to no process; `perfdata symbols --at SECONDS --pid NUMBER` shows what is in one"},
    {"", "--percent-limit", of_rows},
    {"", "--percentage", of_rows},
};
constexpr std::string_view list_commands[] = {"bpf", "symbols", "extract"};
constexpr std::string_view sample_options[] = {"-e",    "--event", "--comm", "--comms", "-c",
                                               "--tid", "--cpu",   "-C",     "--cgroup"};
// Filters that the commands above have, but `dump` and `info` lack.
constexpr std::string_view list_options[] = {"--time", "--pid", "--kind", "--dso", "--dsos", "-d", "-S", "--symbols"};
constexpr std::string_view of_dump =
    "--type, -e and --time choose among records; `perfdata script` chooses among samples by all filters";
constexpr std::string_view of_info =
    "the header is of the whole recording; `perfdata report` and `perfdata script` choose among samples";

// Says what to use instead of an option, or why it means nothing to the command; empty if it is known nowhere.
std::string perf_option(const std::string& command, std::string_view option) {
    for (const auto options :
         {std::span<const PerfOption>(perf_options), std::span<const PerfOption>(foreign_options)}) {
        for (const auto& one : options) {
            if (one.option == option && (one.command.empty() || one.command == command)) return std::string(one.words);
        }
    }
    const auto has = [](std::span<const std::string_view> words, std::string_view word) {
        return std::ranges::find(words, word) != words.end();
    };
    if (has(list_commands, command) && has(sample_options, option)) return std::string(of_samples);
    if (has(sample_options, option) || has(list_options, option)) {
        if (command == "dump") return std::string(of_dump);
        if (command == "info") return std::string(of_info);
    }
    return {};
}

std::string unexpected(const CLI::App& app, const CLI::App& command) {
    const auto left = command.remaining();
    if (left.empty()) return {};
    const auto& word = left.front();
    const auto shown = printable(cut(word, 100));
    if (word.size() < 2 || !word.starts_with('-')) {
        std::string hint = command.get_name() == "help"   ? ""
                           : command.get_name() == "diff" ? "; of several recordings on a side: --old A B --new C D"
                                                          : "; the recording is named once, by FILE or -i";
        // perf annotate takes the function here.
        if (command.get_name() == "annotate" && !platform::status(word)) {
            hint += fmt::format("; {0} is a function? -s {0}", shown);
        }
        return fmt::format("one argument too many: {}{}", shown, hint);
    }
    if (&command == &app) {
        return fmt::format(
            "there is no option {} before the command: options stand behind it, as in perfdata report {}", shown,
            shown);
    }
    const auto name = word.substr(0, word.find('='));
    if (command.get_name() == "batch") {
        const auto* action = command.get_option_no_throw("--do");
        return fmt::format("batch has no option {}; options of {} stand behind --", shown,
                           action != nullptr && action->count() == 1 ? action->results().front() : "the command");
    }
    if (const auto words = perf_option(command.get_name(), name.starts_with("--") ? name : name.substr(0, 2));
        !words.empty()) {
        return fmt::format("{} has no option {}; {}", command.get_name(), shown, words);
    }
    const auto meant = nearest(name, all_option_names(command));
    return fmt::format("{} has no option {}{}", command.get_name(), shown,
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

const CLI::App& asked(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? app : *commands.front();
}

// Returns about_word_of_stat() of the FILE of `perfdata stat`, where there is too much for a FILE.
std::string word_of_stat(const CLI::App& command) {
    if (command.get_name() != "stat") return {};
    const auto* file = command.get_option_no_throw("FILE");
    return file == nullptr || file->results().empty() ? std::string() : about_word_of_stat(file->results().front());
}

// Returns what is wrong with the level of `perfdata stat --per-cache L2` or `--per-cache=`: what is not behind the = of
// this option is a FILE. Empty for other command lines.
std::string level_of_stat(const CLI::App& command) {
    if (command.get_name() != "stat") return {};
    const auto* cache = command.get_option_no_throw("--per-cache");
    if (cache == nullptr || cache->count() == 0) return {};
    const auto* file = command.get_option_no_throw("FILE");
    auto words = command.remaining();
    if (file != nullptr) words.insert(words.end(), file->results().begin(), file->results().end());
    return std::ranges::any_of(words, [](const auto& word) { return word.empty() || is_cache_level(word); })
               ? "--per-cache: its level stands behind a =, as in --per-cache=L2; without one it is the last level"
               : std::string();
}

// Returns CLI11's message, or a more helpful one.
std::string in_words(const CLI::App& app, const CLI::ParseError& problem) {
    const auto& command = asked(app);
    if (&command == &app) {
        const auto left = app.remaining();
        const auto word = std::ranges::find_if(left, [](const std::string& one) { return !one.starts_with('-'); });
        if (word != left.end() && word == left.begin()) return unknown_command(app, *word);
        if (!left.empty()) return unexpected(app, app);
        return fmt::format("a subcommand is needed: {}", fmt::join(command_names(app), ", "));
    }
    const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr;
    if (auto text = level_of_stat(command); !text.empty()) return text;
    if (is_extra || dynamic_cast<const CLI::ExcludesError*>(&problem) != nullptr) {
        if (auto text = word_of_stat(command); !text.empty()) return text;
    }
    if (is_extra) {
        const bool before = !app.remaining().empty();
        if (auto text = unexpected(app, before ? app : command); !text.empty()) return text;
    }
    const std::string text = problem.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr) {
        const auto name = text.substr(0, text.find(':'));
        if (text.find(" missing") != std::string::npos) return name + ": a value is missing behind it";
        if (text.find("At Most 1 ") != std::string::npos) return name + ": given more than once";
    }
    if (dynamic_cast<const CLI::ExcludesError*>(&problem) != nullptr) {
        if (const auto between = text.find(" excludes "); between != std::string::npos) {
            return fmt::format("{} and {} cannot be given together", text.substr(0, between),
                               text.substr(between + std::string_view(" excludes ").size()));
        }
    }
    if (dynamic_cast<const CLI::ConversionError*>(&problem) != nullptr) {
        constexpr std::string_view begin = "Could not convert: ";
        const auto between = text.find(" = ");
        if (text.starts_with(begin) && between != std::string::npos) {
            const auto name = text.substr(begin.size(), between - begin.size());
            const auto value = text.substr(between + std::string_view(" = ").size());
            return fmt::format("{}: no value that it can have: {}", name, value);
        }
    }
    if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr) {
        const auto from = text.find('['), to = text.find(']');
        if (from < to && to != std::string::npos) {
            const bool many = text.find(" were given") != std::string::npos;
            return fmt::format("{} needs {} of {}", command.get_name(), many ? "only one" : "one",
                               text.substr(from + 1, to - from - 1));
        }
    }
    return text;
}

constexpr std::size_t help_column = 34, help_width = 100;

// Breaks a text into lines of at most `room` columns: at spaces, and words that are longer behind commas.
std::string wrapped(std::string_view text, std::size_t room) {
    std::string lines;
    std::size_t column = 0;
    const auto put = [&](std::string_view piece, bool begins_word) {
        const std::size_t gap = begins_word && column != 0 ? 1 : 0;
        if (column + gap + piece.size() > room && column != 0) {
            lines += '\n';
            column = 0;
        } else {
            lines.append(gap, ' ');
            column += gap;
        }
        lines += piece;
        column += piece.size();
    };
    while (!text.empty()) {
        auto word = text.substr(0, text.find_first_of(" \n"));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        for (bool begins_word = true; !word.empty(); begins_word = false) {
            const auto comma = word.size() > room ? word.find(',') : std::string_view::npos;
            const auto piece = word.substr(0, comma == std::string_view::npos ? comma : comma + 1);
            put(piece, begins_word);
            word.remove_prefix(piece.size());
        }
    }
    return lines;
}

// HelpText is CLI11's help without names of types and checks, with one line per command.
class HelpText : public CLI::Formatter {
  public:
    HelpText() {
        column_width(help_column);
        label("POSITIONALS", "Arguments");
        label("Positionals", "Arguments");
        label("SUBCOMMAND", "COMMAND");
    }
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        return spaced(Formatter::make_help(app, std::move(name), mode));
    }
    // Behind the description comes the usage, with a line between.
    std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n\n"; }
    std::string make_subcommand(const CLI::App* command) const override {
        return fmt::format("{:<{}}{}\n", "  " + command->get_display_name(true), column_width_, summary(*command));
    }
#if CLI11_VERSION_MAJOR > 2 || CLI11_VERSION_MINOR >= 5
    std::string make_expanded(const CLI::App* part, CLI::AppFormatMode mode) const override {
        return part->get_name().empty() ? alternatives(part) : Formatter::make_expanded(part, mode);
    }
#else
    std::string make_expanded(const CLI::App* part) const override {
        return part->get_name().empty() ? alternatives(part) : Formatter::make_expanded(part);
    }
#endif
    // Groups of alternative options get a heading that says so.
    std::string alternatives(const CLI::App* part) const {
        return make_group(heading(*part), false, part->get_options([part](const CLI::Option* option) {
            return option->nonpositional() && option != part->get_help_ptr();
        }));
    }
    // CLI11 shows a flag that unsets something as "--no-this{false}", and no space behind a comma.
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) return Formatter::make_option_name(option, is_positional);
        // A flag has a type only if it may have a value, and none behind a space.
        const auto value = option->get_items_expected_max() == 0 ? option->get_type_name() : std::string();
        return fmt::format("{}{}", fmt::join(option_names(*option), ", "), value);
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), help_width - help_column);
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        const auto value = value_words(*option);
        if (value.type.empty() || option->get_positional()) return {};
        if (!value.words.empty()) return fmt::format(" {}", fmt::join(value.words, "|"));
        return " " + value.type;
    }

  private:
    // Returns the text with one empty line where there are several.
    static std::string spaced(std::string_view text) {
        std::string out;
        for (const char letter : text) {
            if (letter != '\n' || !out.ends_with("\n\n")) out += letter;
        }
        return out;
    }
};

// written(write) returns the text that `write` makes. CLI11 uses standard streams, which swallow bad_alloc: without
// this check, truncated text would pass as complete.
template <class Write>
std::string written(const Write& write) {
    static bool ran_out;
    ran_out = false;
    class Watch {
      public:
        Watch() = default;
        ~Watch() { std::set_new_handler(before_); }
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

      private:
        std::new_handler before_ = std::set_new_handler([] {
            ran_out = true;
            throw std::bad_alloc();
        });
    };
    const Watch watch;
    auto text = write();
    if (ran_out) throw std::bad_alloc();
    return text;
}

int show(std::string_view text) {
    auto output = Output::open({});
    if (output) output->sink()(text);
    const auto done = output ? output->commit() : Result<void>(std::unexpected(output.error()));
    if (done) return fine;
    complain(done.error());
    return failed;
}

}  // namespace

std::string about_word_of_stat(std::string_view word) {
    if (word == "record") return "perf stat record makes recordings, perfdata reads them";
    if (word == "report") return "perfdata stat is what perf stat report is: leave out the word report";
    return {};
}

bool is_cache_level(std::string_view word) {
    return word.size() == 2 && (word[0] == 'L' || word[0] == 'l') && word[1] >= '1' && word[1] <= '4';
}

std::string summary(const CLI::App& command) {
    const auto text = command.get_description();
    auto line = text.substr(0, text.find('\n'));
    if (line.ends_with('.')) line.pop_back();
    return line;
}

std::string heading(const CLI::App& part) {
    return part.get_require_option_max() == 1 ? "One of these is needed" : "At least one of these is needed";
}

std::vector<std::string> option_names(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

void format_help(CLI::App& app) {
    const auto text = std::make_shared<HelpText>();
    app.formatter(text);
    for (auto* one : app.get_subcommands([](CLI::App*) { return true; })) {
        one->group("Commands");
        one->formatter(text);
    }
}

void add_help(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("help", "Say what a command does and which options it has");
    command->footer("");
    format_help(app);
    auto wanted = std::make_shared<std::string>();
    command->add_option("COMMAND", *wanted, "The command; without it, what commands there are")->type_name("");
    command->callback([wanted, &app, &exit] {
        // App::help() would print the help of this command.
        const auto formatter = app.get_formatter();
        if (wanted->empty()) {
            exit =
                show(written([&] { return formatter->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal); }));
            return;
        }
        for (const auto* one : app.get_subcommands([](const CLI::App*) { return true; })) {
            if (one->get_name() != *wanted) continue;
            exit = show(written([&] { return one->help(app.get_name()); }));
            return;
        }
        throw CLI::ParseError(unknown_command(app, *wanted), CLI::ExitCodes::InvalidError);
    });
}

int answer(const CLI::App& app, const CLI::ParseError& problem) {
    const auto& command = asked(app);
    if (problem.get_name() == "CallForHelp") return show(written([&] { return app.help(); }));
    if (problem.get_name() == "CallForVersion") return show(fmt::format("{}\n", problem.what()));
    const bool of_command = &command != &app && command.get_name() != "help";
    const auto text = written([&] { return in_words(app, problem); });
    say(fmt::format("perfdata: {}\nperfdata: see perfdata help{}\n", printable(text),
                    of_command ? " " + command.get_name() : ""));
    return usage;
}

}  // namespace perfdata::tool
