// SPDX-License-Identifier: MIT
// perfdata_manual FOLDER: writes the manual pages and completions of the tool, below FOLDER as below /usr/share.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "manual.hpp"
#include "tool/command_line.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::filesystem::filesystem_error("cannot write", file, std::error_code());
}

void write_all(const std::filesystem::path& folder) {
    int exit = fine;
    const auto app = make_command_line(exit);
    const auto commands = describe_commands(*app);
    for (const auto& command : commands) {
        const auto name = command.name.empty() ? std::string("perfdata") : "perfdata-" + command.name;
        write(folder / "man/man1" / (name + ".1"), man_page(command, commands));
    }
    write(folder / "bash-completion/completions/perfdata", bash_completion(commands));
    write(folder / "zsh/site-functions/_perfdata", zsh_completion(commands));
    write(folder / "fish/vendor_completions.d/perfdata.fish", fish_completion(commands));
}

}  // namespace
}  // namespace perfdata::tool

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: perfdata_manual FOLDER\n", stderr);
        return perfdata::tool::usage;
    }
    try {
        perfdata::tool::write_all(argv[1]);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "perfdata_manual: %s\n", problem.what());
        return perfdata::tool::failed;
    }
    return perfdata::tool::fine;
}
