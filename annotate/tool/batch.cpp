// SPDX-License-Identifier: MIT
// perfdata batch: one command for many recordings, in one process.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "tool.hpp"
#include "tool/batch/batch_action.hpp"
#include "tool/batch/batch_run.hpp"
#include "tool/command_line.hpp"
#include "tool/options/option_values.hpp"
#include "usage.hpp"

namespace perfdata::tool {
namespace {

// What --do can do. A further command needs a line here, and a function beside its add_ function that makes an action
// of it (see batch_report()).
struct KnownAction {
    const char* name;
    BatchAction (*add)(CLI::App& app);
};
constexpr KnownAction known_actions[] = {
    {"info", batch_info},
    {"profile", batch_profile},
    {"report", batch_report},
};

std::vector<std::string> action_names() {
    std::vector<std::string> names;
    for (const auto& one : known_actions) names.emplace_back(one.name);
    return names;
}

int run_batch(const BatchChoice& choice) {
    if (choice.list.starts_with('-') && choice.list != "-") {
        throw CLI::ValidationError(
            "LIST", "it stands before --, and is missing there; behind it are options of " + choice.action);
    }
    if (choice.resume && choice.directory.empty()) {
        throw CLI::ValidationError("--resume", "only documents in files can be there already: give --out DIR");
    }
    const auto known = std::ranges::find(known_actions, std::string_view(choice.action),
                                         [](const KnownAction& one) { return std::string_view(one.name); });
    CLI::App parser("", "perfdata");
    parser.require_subcommand(1);
    const auto action = known->add(parser);
    if (!action.in_lines && choice.directory.empty()) {
        throw CLI::ValidationError("--do", choice.action + " writes no JSON that a line could have: give --out DIR");
    }
    int exit = fine;
    add_help(parser, exit);
    auto words = choice.options;
    words.insert(words.begin(), choice.action);
    try {
        parser.parse(reversed_words(words));
    } catch (const CLI::ParseError& problem) {
        return answer(parser, problem);
    }
    if (const auto refused = action.common->prepare_many(*action.command)) return *refused;
    if (const auto problem = action.check ? action.check() : std::string(); !problem.empty()) {
        complain(problem);
        return usage;
    }
    return BatchRun(choice, action).run();
}

}  // namespace

void add_batch(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "batch",
        "Run a command on each recording of a list, in one process\n"
        "\n"
        "  perfdata batch --do report LIST               a JSON line for each file, with the document in it\n"
        "  perfdata batch --do report --out DIR LIST     the documents go into files of DIR\n"
        "  perfdata batch --do profile --out DIR LIST    so do profiles\n"
        "  perfdata batch --do report --out DIR --resume LIST\n"
        "                                                go on: what is there is not made again\n"
        "  perfdata batch --do report LIST -- --sort comm --kind user\n"
        "                                                options of report stand behind --\n"
        "  find /srv -name '*.data' -print0 | perfdata batch --do info --null -\n"
        "\n"
        "Lines come in the order of the list. A file that cannot be read has a line that says why, and costs the\n"
        "others nothing. Symbols that several recordings need are read once.");
    auto choice = std::make_shared<BatchChoice>();
    command->add_option("LIST", choice->list, "A file with the paths of recordings, one a line; - is standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("--do", choice->action, "What to do with each recording: what the command of this name does")
        ->required()
        ->check(one_of(action_names()));
    add_whole(*command, "-j,--jobs", choice->jobs, "Threads in all (default: one per CPU)",
              {1, 256, "a number from 1 to 256 (default: one per CPU)"});
    command
        ->add_option("--out", choice->directory,
                     "Write each document to a file in this directory, which is made if it is not there")
        ->type_name("DIR");
    command->add_flag("--resume", choice->resume, "With --out: leave out recordings whose document is there");
    command->add_flag("-0,--null", choice->null, "In LIST, NUL bytes separate the paths, not line feeds");
    command->add_flag("--strict", choice->strict,
                      "The same for each file, and exit with 3 if something could not be read of any");
    command->add_flag("-q,--quiet", choice->quiet, "No warnings on standard error; they are in the JSON lines");
    add_size(*command, "--max-memory", choice->max_memory,
             "Take no more memory than this in all, such as 2G: a file that needs more fails. Default: no limit");
    begin_anew(*command, choice);
    command->footer(
        "Exit status: 0 fine, 1 a file failed, or LIST or the output, 2 wrong usage, 3 (only with --strict) all were\n"
        "read, but not all of each.");
    // Added last: an option's value may be empty.
    command->add_option("ARGUMENT", choice->options, "Behind --: options of the command, for all files")->type_name("");
    command->callback([choice, &exit] { exit = run_batch(*choice); });
}

}  // namespace perfdata::tool
