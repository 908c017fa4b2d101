// SPDX-License-Identifier: MIT
#include "command_model.hpp"

#include <algorithm>
#include <cstdint>

#include "perfdata/annotate/report/report_options.hpp"
#include "perfdata/wire/record.hpp"

#include "tool/options/value_words.hpp"
#include "tool/usage.hpp"

namespace perfdata::tool {
namespace {

std::vector<std::string> record_types() {
    std::vector<std::string> names;
    constexpr std::uint32_t beyond = 256;
    for (std::uint32_t type = 0; type < beyond; ++type) {
        if (const auto name = record_type_name(type); !name.empty()) names.emplace_back(name);
    }
    return names;
}

bool takes_files(std::string_view value) {
    constexpr std::string_view all[] = {"FILE", "DIR|TAR", "PREFIX", "RECORDINGS", "OLD", "NEW", "LIST"};
    return std::ranges::find(all, value) != std::ranges::end(all);
}

// Adds words that the option's check does not list in the help, and says what completes the value.
void complete(ManualOption& option) {
    if (option.value == "KEYS") {
        for (const auto& key : report_keys()) option.words.emplace_back(key.word);
        option.list = true;
    } else if (option.value == "TYPE") {
        option.words = record_types();
    }
    if (!option.words.empty()) {
        option.completes = Completes::words;
    } else if (option.value == "DIR") {
        option.completes = Completes::directory;
    } else if (takes_files(option.value)) {
        option.completes = Completes::file;
    }
}

ManualOption describe(const CLI::Option& option) {
    ManualOption described;
    const auto value = value_words(option);
    if (option.get_positional()) {
        described.names = {option.get_name(true)};
        described.value = described.names.front();
    } else {
        described.names = option_names(option);
        described.value = value.type;
    }
    described.words = value.words;
    const bool many = option.get_expected_max() > 1;
    described.list = many && !value.words.empty();
    described.repeats = many;
    described.help = option.get_description();
    complete(described);
    return described;
}

// Takes the options of an app or of a part of one, by their groups.
void take_options(const CLI::App& app, const std::string& title, ManualCommand& command) {
    for (const auto* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        if (option->get_positional()) {
            command.arguments.push_back(describe(*option));
            continue;
        }
        const auto name = !title.empty() ? title : option->get_group() == "Options" ? "" : option->get_group();
        auto group = std::ranges::find(command.groups, name, &ManualGroup::title);
        if (group == command.groups.end()) group = command.groups.insert(group, {name, {}});
        group->options.push_back(describe(*option));
    }
}

ManualCommand describe_command(const CLI::App& app, bool whole) {
    ManualCommand command;
    if (!whole) command.name = app.get_name();
    command.summary = summary(app);
    command.text = app.get_description();
    command.footer = app.get_footer();
    take_options(app, {}, command);
    for (const auto* part : app.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); })) {
        take_options(*part, heading(*part), command);
    }
    return command;
}

}  // namespace

std::vector<ManualCommand> describe_commands(const CLI::App& app) {
    std::vector<ManualCommand> commands{describe_command(app, true)};
    const auto named = [](const CLI::App* one) { return !one->get_name().empty(); };
    for (const auto* one : app.get_subcommands(named)) commands.push_back(describe_command(*one, false));
    std::vector<std::string> names;
    for (const auto& command : commands) {
        if (!command.name.empty() && command.name != "help") names.push_back(command.name);
    }
    for (auto& command : commands) {
        if (command.name != "help") continue;
        for (auto& argument : command.arguments) {
            argument.words = names;
            argument.completes = Completes::words;
        }
    }
    return commands;
}

std::string first_sentence(const std::string& help) {
    return help.substr(0, help.find(". "));
}

}  // namespace perfdata::tool
