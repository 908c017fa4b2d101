// SPDX-License-Identifier: MIT
// Fuzz target: a whole file as the tool's commands take it, options included. Whatever the file says: the exit status
// is one of those that are documented, text commands no terminal, JSON parses, and messages are lines for people.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/timeline/timeline.hpp"

#include "memory_file.hpp"
#include "outputs.hpp"
#include "promise.hpp"
#include "tool/tool.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

// Captured stands in for one of the C library's streams, for as long as it lives.
class Captured {
  public:
    explicit Captured(std::FILE*& stream) : stream_(stream), kept_(stream) {
        stream_ = ::open_memstream(&text_, &size_);
        require(stream_ != nullptr);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    ~Captured() {
        std::fclose(stream_);
        stream_ = kept_;
        std::free(text_);
    }

    std::string text() {
        std::fflush(stream_);
        return {text_, size_};
    }

  private:
    std::FILE*& stream_;
    std::FILE* kept_;
    char* text_ = nullptr;
    std::size_t size_ = 0;
};

using Arguments = std::vector<std::string>;
using AddCommand = void (*)(CLI::App& app, int& exit);

// Commands runs them on one input.
class Commands {
  public:
    explicit Commands(Bytes input) : file_(input) {}

    void text(AddCommand add, const Arguments& arguments) const { fuzz::check_text(run(add, arguments)); }
    void json(AddCommand add, Arguments arguments) const {
        arguments.push_back("--json");
        const auto written = run(add, arguments);
        if (!written.empty()) fuzz::check_json(written);
    }
    void json_lines(AddCommand add, Arguments arguments) const {
        arguments.push_back("--json");
        fuzz::check_json_lines(run(add, arguments));
    }
    void binary(AddCommand add, const Arguments& arguments) const { (void)run(add, arguments); }

  private:
    // run(add, arguments) is what the command wrote; what it says to people is looked at here.
    std::string run(AddCommand add, const Arguments& arguments) const {
        int status = -1;
        Captured output(stdout), messages(stderr);
        CLI::App app;
        add(app, status);
        auto words = arguments;
        words.insert(words.begin(), app.get_subcommands([](const CLI::App*) { return true; }).front()->get_name());
        words.insert(words.end(), {"--strict", "--max-memory=256M", file_.path()});
        // CLI11 takes the last one first.
        std::ranges::reverse(words);
        app.parse(std::move(words));
        require(status == tool::fine || status == tool::failed || status == tool::losses);
        const auto said = messages.text();
        fuzz::check_text(said);
        require(said.empty() || said.ends_with('\n'));
        for (std::string_view rest = said; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
            require(rest.starts_with("perfdata: "));
        }
        return output.text();
    }

    fuzz::MemoryFile file_;
};

// Questions is what can be asked about a recording: where things lay, and when.
class Questions {
  public:
    explicit Questions(const Timeline& timeline) {
        const auto& codes = timeline.code();
        for (const auto* code : {codes.empty() ? nullptr : &codes.front(), codes.empty() ? nullptr : &codes.back()}) {
            if (code == nullptr) continue;
            add(code->range.last(), code->from, {});
            symbols_.emplace_back(code->symbol);
        }
        const auto& mappings = timeline.tasks().mappings();
        if (!mappings.empty()) {
            const auto& mapping = mappings.back();
            add(mapping.range.begin, mapping.from, mapping.pid);
        }
        if (!timeline.loads().empty()) program_ = std::to_string(timeline.loads().back().id.value);
    }

    void ask(const Commands& commands) const {
        for (const auto& place : places_) {
            commands.text(tool::add_symbols, {"--at=" + place.time, "--offline"});
            commands.json(tool::add_symbols,
                          {"--at=" + place.time, "--offline", "--pid=" + place.pid, "--address=" + place.address});
            commands.json(tool::add_symbols, {"--history=" + place.address, "--offline"});
            commands.text(tool::add_symbols, {"--history=" + place.address, "--offline", "--pid=" + place.pid});
        }
        for (const auto& symbol : symbols_) {
            if (!symbol.empty()) commands.binary(tool::add_extract, {"--symbol=" + symbol, "--offline"});
        }
        if (!program_.empty()) commands.binary(tool::add_extract, {"--program=" + program_, "--offline"});
    }

  private:
    struct Place {
        std::string address, time, pid;
    };
    void add(Address address, Time time, Pid pid) {
        constexpr std::uint64_t second = 1'000'000'000;
        places_.push_back({fmt::format("{:x}", address.value),
                           fmt::format("{}.{:09}", time.nanoseconds / second, time.nanoseconds % second),
                           std::to_string(pid.value)});
    }

    std::vector<Place> places_;
    std::vector<std::string> symbols_;
    std::string program_;
};

// One of the commands that cost more, by what the input is.
void run_one(const Commands& commands, std::uint64_t sum) {
    switch (sum % 10) {
        case 0: return commands.text(tool::add_annotate, {"--offline", "--jobs=1", "--bpf-registers"});
        case 1: return commands.text(tool::add_annotate, {"--offline", "--jobs=1", "--versions"});
        case 2: return commands.json(tool::add_annotate, {"--offline", "--jobs=1"});
        case 3: return commands.text(tool::add_report, {"--offline", "--jobs=1", "--call-graph=caller"});
        case 4: return commands.json(tool::add_report, {"--offline", "--jobs=1", "--sort=comm,program,symbol,srcline"});
        case 5: return commands.text(tool::add_script, {"--offline"});
        case 6: return commands.json_lines(tool::add_script, {"--offline"});
        case 7: return commands.text(tool::add_dump, {"--order=time"});
        case 8: return commands.json_lines(tool::add_dump, {"--time=0.000001,"});
        default: return commands.text(tool::add_info, {"--verbose", "--completeness"});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    const Commands commands(input);
    commands.text(tool::add_bpf, {});
    commands.json(tool::add_bpf, {});
    std::uint64_t sum = 0;
    for (const auto byte : input) sum = sum * 31 + std::to_integer<unsigned>(byte);
    run_one(commands, sum >> 7);
    const auto recording = Recording::from_memory(input, {fuzz::small_limits()});
    if (!recording) return 0;
    const auto timeline = Timeline::build(*recording);
    require(timeline.has_value());
    Questions(*timeline).ask(commands);
    return 0;
}
