// SPDX-License-Identifier: MIT
#include "takes.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "catch.hpp"

extern char** environ;

namespace perfdata::test {
namespace {

std::string content_of(const std::string& path) {
    std::string content(static_cast<std::size_t>(std::filesystem::file_size(path)), '\0');
    std::ifstream(path, std::ios::binary).read(content.data(), std::ssize(content));
    return content;
}

// forget_peak() resets the peak for the next child, which shares our memory until it executes the tool.
void forget_peak() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;  // proc(5)
}

}  // namespace

Run run(const TempDir& folder, std::vector<std::string> command, const char* program) {
    forget_peak();
    command.insert(command.begin(), program);
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const auto output = (folder.path() / "output").string(), messages = (folder.path() / "messages").string();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, 2, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const auto failed = ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    REQUIRE(failed == 0);
    int status = 0;
    ::rusage use{};
    REQUIRE(::wait4(child, &status, 0, &use) == child);
    Run result;
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    result.memory = static_cast<std::size_t>(use.ru_maxrss) * 1024;
    const auto seconds = [](const ::timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    result.seconds = seconds(use.ru_utime) + seconds(use.ru_stime);
    result.output = content_of(output);
    result.messages = content_of(messages);
    return result;
}

Elf program(std::uint64_t size) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(static_cast<std::size_t>(size), std::byte{0x90});
    elf.segments = {{0, 0, text_at + size}};
    return elf;
}

std::string put(const TempDir& folder, const std::string& name, const Elf& elf) {
    std::filesystem::create_directories(folder.path() / "root/bin");
    folder.write("root/bin/" + name, elf.blob());
    return (folder.path() / "root").string();
}

}  // namespace perfdata::test
