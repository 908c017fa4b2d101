// SPDX-License-Identifier: MIT
#include "tool/run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfdata::test {
namespace {

constexpr unsigned most_seconds = 120;

void redirect(const std::string& path, int flags, int descriptor) {
    constexpr ::mode_t mode = 0666;
    const int opened = ::open(path.c_str(), flags, mode);
    if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
    ::close(opened);
}

std::string whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void number(std::string& text, std::uint64_t value, unsigned bytes) {
    for (unsigned index = 0; index < bytes; ++index) text += static_cast<char>(value >> (8 * index) & 0xff);
}

void aux_record(std::string& text, std::string_view payload, std::uint32_t index, std::uint32_t tid,
                std::uint32_t cpu) {
    number(text, 71, 4), number(text, 0, 2), number(text, 48, 2);
    number(text, payload.size(), 8), number(text, 0, 8), number(text, 0, 8);
    number(text, index, 4), number(text, tid, 4), number(text, cpu, 4), number(text, 0, 4);
    text += payload;
}

}  // namespace

Place::Place() {
    // Other users may reach files here, but not list them.
    ::chmod(folder_.path().c_str(), 0711);
    std::filesystem::create_directory(folder_.path() / "here");
    std::filesystem::copy_file(PERFDATA_FIXTURES "/bpf/bpf_many.data", path("in.data"));
    ::chmod(path("in.data").c_str(), 0644);
}

Started Place::start(const std::vector<std::string>& arguments, const std::function<void()>& before) const {
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), "perfdata");
    std::vector<char*> list;
    for (auto& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    const auto folder = folder_.path().string();
    // Opened here: an unprivileged process may not see it.
    const int tool = ::open(PERFDATA_TOOL, O_RDONLY | O_CLOEXEC);
    if (tool < 0) throw std::runtime_error("there is no tool");
    const auto process = ::fork();
    if (process < 0) throw std::runtime_error("cannot fork");
    if (process == 0) {
        redirect("/dev/null", O_RDONLY, STDIN_FILENO);
        redirect(folder + "/output", O_RDWR | O_CREAT | O_TRUNC, STDOUT_FILENO);
        redirect(folder + "/messages", O_RDWR | O_CREAT | O_TRUNC, STDERR_FILENO);
        if (::chdir((folder + "/here").c_str()) != 0) ::_exit(126);
        for (const auto* name : {"NO_COLOR", "CLICOLOR_FORCE"}) ::unsetenv(name);
        ::alarm(most_seconds);
        if (before) before();
        ::fexecve(tool, list.data(), environ);
        ::_exit(127);
    }
    ::close(tool);
    return {process, folder};
}

Ended Started::wait() const {
    Ended ended;
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0) {
        if (errno != EINTR) throw std::runtime_error("cannot wait");
    }
    if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    ended.output = whole(folder_ + "/output");
    ended.messages = whole(folder_ + "/messages");
    return ended;
}

std::string Place::write(const std::string& name, const std::string& content) const {
    std::ofstream file(path(name), std::ios::binary);
    file << content;
    file.close();
    if (!file) throw std::runtime_error("cannot write " + name);
    return path(name);
}

std::string Place::read(const std::string& name) const {
    return whole(path(name));
}

std::vector<std::string> Place::files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "here")) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

std::vector<std::vector<std::string>> writing_commands() {
    return {{"report", "in.data"},
            {"report", "--json", "in.data"},
            {"annotate", "in.data"},
            {"annotate", "--json", "in.data"},
            {"annotate", "--format", "html", "in.data"},
            {"script", "in.data"},
            {"script", "--json", "in.data"},
            {"info", "in.data"},
            {"info", "--json", "in.data"},
            {"dump", "in.data"},
            {"dump", "--json", "in.data"},
            {"bpf", "in.data"},
            {"bpf", "--json", "in.data"},
            {"symbols", "--at", "6.5", "in.data"},
            {"symbols", "--json", "--at", "6.5", "in.data"},
            {"extract", "-s", "step", "in.data"},
            {"extract", "-s", "step", "--format", "raw", "in.data"}};
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::string in_words(const std::vector<std::string>& arguments) {
    std::string words = "perfdata";
    for (const auto& argument : arguments) words += " " + argument;
    return words;
}

std::string aux_recording() {
    constexpr std::uint32_t none = 0xffffffff;
    std::string text = "PERFILE2";
    number(text, 16, 8);
    number(text, 64, 4), number(text, 0, 2), number(text, 80, 2);  // an event's attr
    number(text, 1, 4), number(text, 64, 4), text.append(56, '\0'), number(text, 7, 8);
    aux_record(text, "first ", 0, none, 3);
    aux_record(text, "other", 2, 99, none);
    aux_record(text, "second", 0, none, 3);
    return text;
}

bool is_root() {
    return ::geteuid() == 0;
}

void as_nobody() {
    constexpr ::uid_t nobody = 65534;
    if (is_root() && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(126);
}

}  // namespace perfdata::test
