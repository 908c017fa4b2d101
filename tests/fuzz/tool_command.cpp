// SPDX-License-Identifier: MIT
#include "tool_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "perfdata/timeline/timeline.hpp"

#include "beside.hpp"
#include "choices.hpp"
#include "outputs.hpp"
#include "tool/tool.hpp"

namespace perfdata::fuzz {
namespace {

// Captured replaces a C stream and keeps what is written to it.
class Captured {
  public:
    Captured() : stream_(::fopencookie(this, "w", {nullptr, write, nullptr, nullptr})) {
        require(stream_ != nullptr);
        // Unbuffered: writes are large anyway.
        require(std::setvbuf(stream_, nullptr, _IONBF, 0) == 0);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    ~Captured() { std::fclose(stream_); }

    std::FILE* stream() { return stream_; }
    const std::string& text() const { return text_; }
    void clear() { text_.clear(); }

  private:
    static ::ssize_t write(void* self, const char* data, std::size_t size) {
        static_cast<Captured*>(self)->text_.append(data, size);
        return static_cast<::ssize_t>(size);
    }

    std::FILE* stream_;
    std::string text_;
};

// Instead replaces one stream by another for its lifetime.
class Instead {
  public:
    Instead(std::FILE*& place, std::FILE* stream) : place_(place), kept_(place) { place_ = stream; }
    Instead(const Instead&) = delete;
    Instead& operator=(const Instead&) = delete;
    ~Instead() { place_ = kept_; }

  private:
    std::FILE*& place_;
    std::FILE* kept_;
};

// Facts is the values to ask for: taken from the recording as a byte chooses, or absent from any.
struct Facts {
    std::string symbol = "main", address = "1000", time = "1.5", pid = "1", program = "1";

    void set(Address at, Time when) {
        constexpr std::uint64_t second = 1'000'000'000;
        address = fmt::format("{:x}", at.value);
        time = fmt::format("{}.{:09}", when.nanoseconds / second, when.nanoseconds % second);
    }
    static Facts of(Bytes input, std::size_t choice) {
        Facts facts;
        const auto recording = Recording::from_memory(input, {small_limits()});
        if (!recording) return facts;
        const auto timeline = Timeline::build(*recording);
        require(timeline.has_value());
        const auto& codes = timeline->code();
        const auto& mappings = timeline->tasks().mappings();
        const auto& loads = timeline->loads();
        if (!loads.empty()) facts.program = std::to_string(loads[choice % loads.size()].id.value);
        if (!mappings.empty()) facts.pid = std::to_string(mappings[choice % mappings.size()].pid.value);
        const auto places = codes.size() + mappings.size();
        if (places == 0) return facts;
        if (const auto place = choice % places; place < codes.size()) {
            const auto& code = codes[place];
            facts.set(code.range.last(), code.from);
            if (!code.symbol.empty()) facts.symbol = code.symbol;
        } else {
            const auto& mapping = mappings[place - codes.size()];
            facts.set(mapping.range.begin, mapping.from);
        }
        return facts;
    }
    void put_into(std::string& word) const {
        const std::array<std::pair<std::string_view, const std::string*>, 5> all = {{{"{symbol}", &symbol},
                                                                                     {"{address}", &address},
                                                                                     {"{time}", &time},
                                                                                     {"{pid}", &pid},
                                                                                     {"{program}", &program}}};
        for (const auto& [name, value] : all) {
            for (auto at = word.find(name); at != std::string::npos; at = word.find(name, at + value->size())) {
                word.replace(at, name.size(), *value);
            }
        }
    }
};

std::string option_of(std::string_view file) {
    return file == "ksym"   ? "--kallsyms"
           : file == "vmlx" ? "--vmlinux"
           : file == "kcor" ? "--kcore"
           : file == "btfs" ? "--btf"
                            : "--jitdump";
}

// second_recording(beside, first) returns the path of the recording to compare with: the first one if there is none.
constexpr std::string_view second_mark = "reco";
std::string second_recording(const Beside& beside, const MemoryFile& first) {
    for (const auto& [name, file] : beside.files()) {
        if (name == second_mark) return file->path();
    }
    return first.path();
}

// add_words(words, chosen, facts) appends the arguments that `chosen` consists of.
void add_words(std::vector<std::string>& words, std::string_view chosen, const Facts& facts) {
    while (!chosen.empty()) {
        const auto size = std::min(chosen.size(), chosen.find(' '));
        auto& word = words.emplace_back(chosen.substr(0, size));
        chosen.remove_prefix(std::min(chosen.size(), size + 1));
        facts.put_into(word);
    }
}

// require_taken(taken, words, said) prints the command line before it fails: an input alone does not show it.
void require_taken(bool taken, const std::vector<std::string>& words, const std::string& said) {
    if (!taken) fmt::print(stderr, "refused: perfdata {}\n{}", fmt::join(words, " "), said);
    require(taken);
}

bool has(const std::vector<std::string>& arguments, std::string_view word) {
    return std::ranges::find(arguments, word) != arguments.end();
}

}  // namespace

// Line is the command line of one command.
class ToolCommand::Line {
  public:
    explicit Line(const std::string& name) {
        using Add = void (*)(CLI::App&, int&);
        constexpr std::array<std::pair<std::string_view, Add>, 14> commands = {{{"annotate", tool::add_annotate},
                                                                                {"bpf", tool::add_bpf},
                                                                                {"collect", tool::add_collect},
                                                                                {"diff", tool::add_diff},
                                                                                {"dump", tool::add_dump},
                                                                                {"export", tool::add_export},
                                                                                {"extract", tool::add_extract},
                                                                                {"info", tool::add_info},
                                                                                {"merge", tool::add_merge},
                                                                                {"profile", tool::add_profile},
                                                                                {"report", tool::add_report},
                                                                                {"script", tool::add_script},
                                                                                {"stat", tool::add_stat},
                                                                                {"symbols", tool::add_symbols}}};
        for (const auto& [known, add] : commands) {
            if (known == name) add(app_, status_);
        }
        command_ = app_.get_subcommand(name);
    }

    bool has_option(const std::string& name) const { return command_->get_option_no_throw(name) != nullptr; }
    // run(words) returns the exit status: `usage` for invalid command lines.
    int run(std::vector<std::string> words) {
        status_ = -1;
        std::ranges::reverse(words);  // CLI11 takes the last one first
        try {
            app_.parse(std::move(words));
        } catch (const CLI::ParseError&) {
            return tool::usage;
        }
        return status_;
    }

  private:
    CLI::App app_;
    int status_ = -1;
    const CLI::App* command_ = nullptr;
};

ToolCommand::ToolCommand(std::string name, std::vector<Words> options)
    : name_(std::move(name)), options_(std::move(options)), line_(std::make_unique<Line>(name_)) {
    require(options_.size() < choice_bytes);
    check_pairs();
}
ToolCommand::~ToolCommand() = default;

void ToolCommand::check_pairs() {
    Captured said;
    const Facts facts;
    std::vector<std::string_view> chosen;
    for (const auto& words : options_) chosen.push_back(words.front());
    // A word with a value from the recording may be refused for that value.
    const auto valued = [](std::string_view word) { return word.find('{') != std::string_view::npos; };
    const auto check_chosen = [&] {
        if (std::ranges::any_of(chosen, valued)) return;
        // An empty recording is an error, but only after the command line was taken.
        std::vector<std::string> words = {name_, "/dev/null"};
        for (const auto word : chosen) add_words(words, word, facts);
        const auto status = [&] {
            const Instead out(stdout, said.stream()), err(stderr, said.stream());
            return line_->run(words);
        }();
        require_taken(status != tool::usage, words, said.text());
        said.clear();
    };
    for (std::size_t one = 0; one < options_.size(); ++one) {
        for (std::size_t other = one + 1; other < options_.size(); ++other) {
            for (const auto first : options_[one]) {
                for (const auto second : options_[other]) {
                    chosen[one] = first;
                    chosen[other] = second;
                    check_chosen();
                }
            }
            chosen[other] = options_[other].front();
        }
        chosen[one] = options_[one].front();
    }
}

void ToolCommand::run(std::span<const std::uint8_t> input) {
    static Captured output, messages;
    static MemoryFile recording, page;
    std::array<std::uint8_t, choice_bytes> choices = {};
    if (has_choices(input)) {
        std::ranges::copy(input.last(choice_block).first(choice_bytes), choices.begin());
        input = input.first(input.size() - choice_block);
    }
    auto bytes = std::as_bytes(input);
    Beside beside;
    beside.take(bytes);
    recording.set(bytes);
    // Put the file first: some options have an optional value.
    std::vector<std::string> words = {name_, recording.path()};
    if (name_ == "diff") words.push_back(second_recording(beside, recording));
    if (name_ == "merge") words.push_back(recording.path());  // one profile alone is not merged
    const Facts absent;
    std::optional<Facts> facts;
    for (std::size_t index = 0; index < options_.size(); ++index) {
        const auto chosen = options_[index][choices[index] % options_[index].size()];
        if (!facts && chosen.find('{') != std::string_view::npos) facts = Facts::of(bytes, choices.back());
        add_words(words, chosen, facts ? *facts : absent);
    }
    for (const auto& [name, file] : beside.files()) {
        if (name == second_mark) continue;
        const auto option = option_of(name);
        // It takes no types then.
        if (option == "--btf" && has(words, "--bpf-output-bytes")) continue;
        if (line_->has_option(option)) words.push_back(option + "=" + file->path());
    }
    const bool html = has(words, "--format=html");
    if (html) words.push_back("--output=" + page.path());
    int status = -1;
    {
        const Instead out(stdout, output.stream()), err(stderr, messages.stream());
        status = line_->run(words);
    }
    // A generated value is always valid unless it comes from the recording, such as a process id. --cpu is also refused
    // if samples do not contain their CPU.
    const auto of_cpus = [](std::string_view word) { return word.starts_with("--cpu="); };
    // A profile may lack what an option is about: the message says so.
    const bool lacks = messages.text().find("profile") != std::string::npos;
    require_taken(status != tool::usage || facts || lacks || std::ranges::any_of(words, of_cpus), words,
                  messages.text());
    if (status != tool::usage) check(status, words, html ? page.take() : output.text(), messages.text());
    output.clear();
    messages.clear();
}

void ToolCommand::check(int status, const std::vector<std::string>& arguments, std::string_view written,
                        std::string_view said) const {
    const bool conditional =
        std::ranges::any_of(arguments, [](const auto& one) { return one.starts_with("--fail-if="); });
    require(status == tool::fine || status == tool::failed || (status == tool::losses && has(arguments, "--strict")) ||
            (status == tool::held && conditional));
    const bool failed = status == tool::failed;
    if (has(arguments, "--format=html")) {
        if (!written.empty()) check_html(written);
        require(failed || !written.empty());
    } else if (name_ == "export") {
        const bool json = has(arguments, "--format=speedscope") || has(arguments, "--format=firefox");
        if (has(arguments, "--format=pprof")) {
            require(failed || written.starts_with("\x1f\x8b"));
        } else if (json && !failed) {
            check_json(written);
        } else {
            check_text(written);
        }
    } else if (name_ == "merge" || name_ == "profile") {
        require(failed || written.starts_with("\x1f\x8b"));
    } else if (name_ == "extract") {
        require(failed || has(arguments, "--format=raw") || written.starts_with("\177ELF"));
    } else if (!has(arguments, "--json")) {
        check_text(written);
    } else if (name_ == "dump" || name_ == "script") {
        check_json_lines(written);
    } else {
        if (!written.empty()) check_json(written);
        require(failed || !written.empty());
    }
    check_text(said);
    require(said.empty() || said.ends_with('\n'));
    for (auto rest = said; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
        require(rest.starts_with("perfdata: "));
    }
}

}  // namespace perfdata::fuzz
