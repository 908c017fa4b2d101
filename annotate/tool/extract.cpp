// SPDX-License-Identifier: MIT
// perfdata extract: recorded code as a file for other tools.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "perfdata/annotate/elf/elf_writer.hpp"
#include "perfdata/symbols/jit/jit_lines.hpp"
#include "perfdata/symbols/object_architecture.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "format/words.hpp"
#include "tool.hpp"
#include "tool/extract/extract_sources.hpp"
#include "tool/options/list_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/near_names.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/options/time_choice.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

constexpr CodeClass listed_kinds[] = {CodeClass::bpf, CodeClass::jit};

struct ExtractChoice {
    Common common;
    NameChoice names;
    ListChoice list;
    std::string symbol, program, at, sources;

    // Returns false if the options contradict each other, and says so: exit code `usage`.
    bool makes_sense() const;
};

bool ExtractChoice::makes_sense() const {
    const bool programs = !program.empty();
    const auto kinds = std::span(listed_kinds).first(programs ? 1 : 2);
    if (!list.can_list(programs ? "extract --program" : "extract", kinds)) return false;
    const bool takes_jit = CodeFilter{parse_kinds(list.kinds), {}, {}}.takes_kind(CodeClass::jit);
    if (list.pids.empty() || (!programs && takes_jit)) return true;
    complain(fmt::format("--pid: BPF programs belong to no process, and {} asks for them alone",
                         programs ? "--program" : "--kind"));
    return false;
}

// Candidate is code that the options may select: functions of one BPF program, or a JIT function.
struct Candidate {
    std::string name;    // of a BPF program or function; else see called()
    AddressRange range;  // of the first function
    Time from, until = Time::forever();
    std::optional<std::uint32_t> program;  // program id
    std::vector<CodeIndex> functions;
    const JitFunction* jit = nullptr;
    const JitCode* jit_code = nullptr;
    std::uint32_t jit_index = 0;  // of `jit` in JitCodes

    // called() returns a view: all moves of a JIT function share its name.
    std::string_view called() const { return jit != nullptr ? jit->name : std::string_view(name); }
    bool there(Time time) const { return from <= time && time < until; }
    // a_time() returns a time when it was loaded.
    Time a_time() const {
        if (from != Time{} || until == Time::forever()) return from;
        return Time{until.nanoseconds - 1};
    }
};

// Piece is a function with the storage behind its views.
struct Piece {
    std::string_view name;
    Address address;
    std::vector<std::byte> owned;
    Bytes code;
    std::vector<LineStart> lines;
    JitLines jit_lines;
};

class Extract {
  public:
    explicit Extract(const ExtractChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (!choice_.makes_sense()) return usage;
        if (!session_.open()) return failed;
        auto filter = choice_.list.filter(session_.recording());
        if (!filter) return session_.give_up(filter.error());
        filter_ = std::move(*filter);
        if (!session_.read_timeline()) return failed;
        session_.open_symbolizer(choice_.names);
        const auto& symbolizer = session_.symbolizer();
        const auto& symbols = session_.bpf();
        find_programs(symbols);
        find_jit(symbolizer);
        if (candidates_.empty()) {
            session_.warn(session_.completeness(), false);
            return session_.give_up(nothing(symbols, symbolizer));
        }
        if (!choose(symbolizer)) return failed;
        if (!choice_.at.empty()) {
            const auto time = *parse_time(choice_.at);
            const auto all = candidates_;
            std::erase_if(candidates_, [&](const Candidate& candidate) { return !candidate.there(time); });
            if (candidates_.empty()) {
                complain(fmt::format("--at: nothing called {} was there at {}; there are:", wanted(), choice_.at));
                list(all);
                return failed;
            }
        }
        if (candidates_.size() > 1) {
            complain(fmt::format("{} pieces of code are called {}; choose one:", candidates_.size(), wanted()));
            list(candidates_);
            return failed;
        }
        if (auto got = collect(candidates_.front(), symbols); !got) return session_.give_up(got.error());
        const auto arch = find_architecture(session_.recording(), symbolizer);
        if (arch.guessed() && choice_.common.format != "raw") {
            session_.note(fmt::format("the recording does not say its architecture; the file is for {}, as {} tells",
                                      arch.name, arch.told_by));
        }
        const auto content = make(arch.name, candidates_.front());
        if (!content) return session_.give_up(content.error());
        if (auto written = write(*content); !written) return session_.give_up(written.error());
        const auto completeness = session_.completeness();
        warn_losses(choice_.common, completeness);
        return session_.exit_code(completeness, lost_lines_);
    }

  private:
    // Raw code has no room for lines.
    bool wants_lines() const { return choice_.common.format != "raw"; }

    void note_lines(std::string_view what, const Error& error, bool loss) {
        lost_lines_ = lost_lines_ || loss;
        if (!choice_.common.quiet) complain(fmt::format("warning: {}: {}", what, error.message()));
    }

    // Takes out what the filter does not keep, and says so. Returns false if that is everything: there is nothing to
    // write then.
    bool choose(const Symbolizer& symbolizer) {
        if (filter_.empty()) return true;
        const auto all = candidates_;
        ListCounts counts, functions;
        std::erase_if(candidates_, [&](Candidate& candidate) {
            const auto part = left_out(symbolizer, candidate, functions);
            counts.add(part);
            return part != FilterPart::none;
        });
        if (candidates_.empty()) {
            complain(fmt::format("{}: {}; there are:", wanted(), counts.text("pieces of code")));
            list(all);
            return false;
        }
        session_.note(counts.text("pieces of code"));
        if (candidates_.size() == 1) session_.note(functions.text("functions"));
        return true;
    }

    // Returns the first part of the filter that leaves out all of a candidate, and takes out those of its functions
    // that are left out.
    FilterPart left_out(const Symbolizer& symbolizer, Candidate& candidate, ListCounts& counts) const {
        if (candidate.jit != nullptr) return left_out(symbolizer, candidate);
        if (!filter_.has_life(candidate.from, candidate.until)) return FilterPart::time;
        if (!filter_.pids.empty()) return FilterPart::pid;  // the kernel's code is no process's
        auto furthest = CodePart::none;
        ListCounts functions;
        std::erase_if(candidate.functions, [&](CodeIndex index) {
            const auto part = symbolizer.bpf().left_out(index, 0, filter_.code);
            furthest = std::max(furthest, part);
            functions.add(filter_part(part));
            return part != CodePart::none;
        });
        if (candidate.functions.empty()) return filter_part(furthest);
        counts = functions;
        candidate.range = symbolizer.timeline().code()[candidate.functions.front()].range;
        return FilterPart::none;
    }
    FilterPart left_out(const Symbolizer& symbolizer, const Candidate& candidate) const {
        // The times of a dump without a clock to compare it by are its own: perhaps it was there.
        const bool timed = candidate.jit_code->timed();
        if (timed && !filter_.has_life(candidate.from, candidate.until)) return FilterPart::time;
        const auto last = candidate.until == Time::forever() ? candidate.until : Time{candidate.until.nanoseconds - 1};
        const auto has = [&](std::uint32_t pid) {
            const auto& jit = symbolizer.jit();
            const auto place = jit.find(symbolizer.timeline().tasks(), Pid{pid}, candidate.range.begin, last);
            return place && place->function == candidate.jit_index;
        };
        if (!filter_.pids.empty() && std::ranges::none_of(filter_.pids, has)) return FilterPart::pid;
        const Frame frame{0, candidate.jit_index, FrameKind::jit, CpuMode::user};
        return filter_part(symbolizer.functions().left_out(frame, filter_.code));
    }

    std::string wanted() const {
        if (choice_.symbol.empty()) return "program " + choice_.program;
        return choice_.program.empty() ? choice_.symbol : choice_.symbol + " of program " + choice_.program;
    }

    bool means_program(const BpfPrograms& symbols, const BpfLoad& load) const {
        return choice_.program.empty() || choice_.program == std::to_string(load.id.value) ||
               choice_.program == symbols.program_name(load);
    }

    // means_function(...) compares a BTF name, a kernel symbol, or PROGRAM/SUBPROGRAM by name or number, as annotate
    // does.
    bool means_function(const BpfPrograms& symbols, const BpfLoad& load, CodeIndex index) const {
        const auto& code = symbols.timeline().code()[index];
        const auto name = symbols.name(index);
        const std::string_view wanted = choice_.symbol;
        if (wanted == name.name || wanted == code.symbol) return true;
        const auto slash = wanted.find('/');
        if (slash == std::string_view::npos) return false;
        const auto program = wanted.substr(0, slash), function = wanted.substr(slash + 1);
        return (program == name.program || program == std::to_string(load.id.value)) &&
               (function == name.name || function == std::to_string(code.subprogram));
    }

    // Damaged recordings may repeat a subprogram or an address. Keep the last one.
    static std::vector<CodeIndex> each_once(const Timeline& timeline, const BpfLoad& load) {
        std::map<std::uint32_t, CodeIndex> last;
        std::map<Address, CodeIndex> last_there;
        const auto& code = timeline.code();
        for (const auto index : load.functions) {
            last[code[index].subprogram] = index;
            last_there[code[index].range.begin] = index;
        }
        auto functions = load.functions;
        std::erase_if(functions, [&](CodeIndex index) {
            return last[code[index].subprogram] != index || last_there[code[index].range.begin] != index;
        });
        return functions;
    }

    void find_programs(const BpfPrograms& symbols) {
        const auto& timeline = symbols.timeline();
        for (const auto& load : timeline.loads()) {
            if (!means_program(symbols, load) || load.functions.empty()) continue;
            const auto add = [&](std::string name, std::vector<CodeIndex> functions) {
                const auto& first = timeline.code()[functions.front()];
                candidates_.push_back({std::move(name), first.range, first.from, first.until, load.id.value,
                                       std::move(functions), nullptr, nullptr, 0});
            };
            const std::string program(symbols.program_name(load));
            if (choice_.symbol.empty()) {
                add(program, each_once(timeline, load));
                continue;
            }
            for (const auto index : load.functions) {
                if (means_function(symbols, load, index))
                    add(program + "/" + std::string(symbols.name(index).name), {index});
            }
        }
    }

    void find_jit(const Symbolizer& symbolizer) {
        if (!choice_.program.empty()) return;
        std::uint32_t index = 0;
        for (const auto& code : symbolizer.jit().codes()) {
            for (const auto& function : code->functions()) {
                const auto number = index++;
                if (function.name != choice_.symbol) continue;
                candidates_.push_back(
                    {{}, function.range, function.from, function.until, {}, {}, &function, code.get(), number});
            }
        }
    }

    Error nothing(const BpfPrograms& symbols, const Symbolizer& symbolizer) const {
        // Collects names for suggestions and labels for the list, each label once, in the order of the recording.
        std::set<std::string> known;
        std::vector<std::string> all, labels;
        const auto add = [&](std::string name, std::string label) {
            if (!known.insert(label).second) return;
            if (!name.empty()) all.push_back(std::move(name));
            labels.push_back(std::move(label));
        };
        const auto& timeline = symbols.timeline();
        for (const auto& load : timeline.loads()) {
            if (choice_.symbol.empty()) {
                const std::string program(symbols.program_name(load));
                add(program, fmt::format("{} ({})", load.id.value, program));
            } else if (means_program(symbols, load)) {
                for (const auto index : load.functions) {
                    const std::string name(symbols.name(index).name);
                    add(name, name);
                }
            }
        }
        if (choice_.program.empty()) {
            for (const auto& code : symbolizer.jit().codes()) {
                std::string_view last;  // moves of a function share its name and its storage
                for (const auto& function : code->functions()) {
                    if (function.name.data() == last.data()) continue;
                    last = function.name;
                    add(std::string(last), std::string(last));
                }
            }
        }
        auto text = fmt::format("the recording has no code called {}", wanted());
        const auto near = near_names(choice_.symbol.empty() ? choice_.program : choice_.symbol, all);
        const auto width = message_width();
        const auto around = std::string_view("perfdata: --program: ; did you mean ? (missing)").size() + text.size();
        const auto room = std::max(width, around + 24) - around;
        if (labels.empty()) {
            text += "; it has none of BPF programs or just-in-time compilers";
        } else if (!near.empty()) {
            text += "; did you mean " + name_list(near, room) + "?";
        } else {
            text += "; it has " + name_list(labels, room);
        }
        return {ErrorCode::missing, Error::no_offset, choice_.symbol.empty() ? "--program" : "--symbol",
                std::move(text)};
    }

    static void list(const std::vector<Candidate>& candidates) {
        constexpr std::size_t shown = 20;
        for (std::size_t index = 0; index < candidates.size() && index < shown; ++index) {
            const auto& one = candidates[index];
            complain(fmt::format("  {}--at {}   {} at {:#x}, {} to {}",
                                 one.program ? fmt::format("--program {} ", *one.program) : "", seconds(one.a_time()),
                                 one.called(), one.range.begin.value, one.from == Time{} ? "before" : seconds(one.from),
                                 one.until == Time::forever() ? "the end" : seconds(one.until)));
        }
        if (candidates.size() > shown) complain(fmt::format("  and {} more", candidates.size() - shown));
    }

    Result<void> collect(const Candidate& candidate, const BpfPrograms& symbols) {
        const auto& timeline = symbols.timeline();
        for (const auto index : candidate.functions) {
            Piece piece;
            const auto image = symbols.image(index);
            if (!image) return fail(image.error());
            piece.name = symbols.name(index).name;
            piece.address = timeline.code()[index].range.begin;
            piece.code = *image;
            if (wants_lines()) add_lines(symbols, index, piece);
            pieces_.push_back(std::move(piece));
        }
        if (candidate.jit == nullptr) return {};
        Piece piece;
        auto image = candidate.jit_code->image(*candidate.jit);
        if (!image) return fail(image.error());
        piece.name = candidate.called();
        piece.address = candidate.jit->range.begin;
        piece.owned = std::move(*image);
        piece.code = piece.owned;
        if (wants_lines()) add_lines(candidate, piece);
        pieces_.push_back(std::move(piece));
        return {};
    }

    void add_lines(const BpfPrograms& symbols, CodeIndex index, Piece& piece) {
        const auto note = [&](const Error& error) { note_lines("no lines", error, BpfPrograms::is_loss(error)); };
        auto lines = symbols.lines(index);
        if (!lines) return note(lines.error());
        piece.lines = std::move(*lines);
        const auto& code = symbols.timeline().code()[index];
        if (!piece.lines.empty() || !code.load) return;
        // Lines come from BTF: report if that is missing.
        if (const auto problem = symbols.problem(symbols.timeline().loads()[*code.load])) note(*problem);
    }

    void add_lines(const Candidate& candidate, Piece& piece) {
        auto lines = candidate.jit_code->lines(*candidate.jit);
        if (!lines) return note_lines("no lines", lines.error(), true);
        if (const auto problem = jit_lines_problem(*candidate.jit_code, *lines)) {
            note_lines("not all lines", *problem, true);
        }
        piece.jit_lines = std::move(*lines);
        for (const auto& line : piece.jit_lines) {
            piece.lines.push_back({line.offset, 0, {line.file, line.damaged ? 0 : line.line, 0, {}}});
        }
    }

    Result<std::string> make(const std::string& arch, const Candidate& candidate) {
        if (choice_.common.format == "raw") {
            std::string bytes;
            for (const auto& piece : pieces_) bytes += as_text(piece.code);
            return bytes;
        }
        ElfCode code;
        const auto target = ElfTarget::of(arch);
        if (!target) return fail(target.error());
        code.target = *target;
        code.name = candidate.called();
        code.producer = "perfdata";
        if (!choice_.sources.empty()) {
            for (auto& piece : pieces_) {
                for (auto& line : piece.lines) line.source.file = tree_.add(line.source);
            }
            std::error_code problem;
            code.directory = std::filesystem::absolute(choice_.sources, problem).lexically_normal().string();
            while (code.directory.size() > 1 && code.directory.ends_with('/')) code.directory.pop_back();
        }
        for (const auto& piece : pieces_)
            code.functions.push_back({piece.name, piece.address, piece.code, piece.lines});
        return write_elf(code);
    }

    Result<void> write(const std::string& content) const {
        auto output = choice_.common.open_output();
        if (!output) return fail(output.error());
        if (output->is_terminal()) {
            return fail(ErrorCode::unsupported, Error::no_offset, "standard output",
                        "the code is binary and this is a terminal; give -o FILE");
        }
        if (!choice_.sources.empty()) {
            if (tree_.empty()) session_.note("no source lines are known of this code");
            if (auto written = write_sources(tree_, choice_.sources, choice_.common); !written)
                return fail(written.error());
        }
        output->sink()(content);
        return choice_.common.commit(*output);
    }

    const ExtractChoice& choice_;
    Session session_;
    ListFilter filter_;
    std::vector<Candidate> candidates_;
    std::vector<Piece> pieces_;
    bool lost_lines_ = false;
    SourceTree tree_;
};

}  // namespace

void add_extract(CLI::App& app, int& exit) {
    auto* command =
        app.add_subcommand("extract",
                           "Write code of BPF programs and just-in-time compilers to a file, as it was in memory.\n"
                           "\n"
                           "  perfdata extract --program 5 -o prog.elf      all functions of a BPF program\n"
                           "  perfdata extract -s step -o step.elf          one function\n"
                           "  perfdata extract -s step --sources src -o step.elf && objdump -dS step.elf");
    auto choice = std::make_shared<ExtractChoice>();
    choice->common.add_to(*command, {Format::elf, Format::raw});
    command->remove_option(command->get_option("--json"));
    command->remove_option(command->get_option("--color"));
    auto* what = command->add_option_group("what")->require_option(1, 2);
    what->add_option("-s,--symbol", choice->symbol,
                     "This function: a BTF name, a kernel symbol (bpf_prog_<tag>_<name>), PROGRAM/SUBPROGRAM by names "
                     "or numbers, or the name of a JIT function")
        ->type_name("NAME");
    what->add_option("--program", choice->program, "The BPF program of this id or name; without --symbol: all of it")
        ->type_name("ID|NAME");
    command->add_option("--at", choice->at, "The one that was there at this time, in seconds")
        ->check(checked(parse_time), "")
        ->type_name("SECONDS");
    choice->common.add_format_to(*command, "elf: with symbols and lines; raw: the bytes and nothing else");
    command
        ->add_option("--sources", choice->sources,
                     "Write source files with the lines that the recording has to this directory, for objdump -S")
        ->type_name("DIR");
    choice->list.add_to(*command, "Only code of just-in-time compilers in these processes");
    choice->names.add_to(*command);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return Extract(*choice).run(); });
}

}  // namespace perfdata::tool
