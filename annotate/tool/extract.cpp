// SPDX-License-Identifier: MIT
// perfdata extract: recorded code as a file for other tools.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/annotate/elf/elf_writer.hpp"
#include "perfdata/symbols/jit/jit_lines.hpp"
#include "perfdata/symbols/object_architecture.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "format/words.hpp"
#include "tool.hpp"
#include "tool/extract/extract_candidates.hpp"
#include "tool/extract/extract_sources.hpp"
#include "tool/options/list_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/options/time_choice.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

constexpr CodeClass extracted_kinds[] = {CodeClass::bpf, CodeClass::jit};

struct ExtractChoice {
    Common common;
    NameChoice names;
    ListChoice list;
    ExtractNames code;
    std::string at, sources;

    // Returns false if the options contradict each other, and says so: exit code `usage`.
    bool makes_sense() const;
};

bool ExtractChoice::makes_sense() const {
    const bool programs = !code.program.empty();
    const auto kinds = std::span(extracted_kinds).first(programs ? 1 : 2);
    if (!list.can_list(programs ? "extract --program" : "extract", kinds)) return false;
    const bool takes_jit = CodeFilter{parse_kinds(list.kinds), {}, {}}.takes_kind(CodeClass::jit);
    if (list.pids.empty() || (!programs && takes_jit)) return true;
    complain(fmt::format("--pid: BPF programs belong to no process, and {} asks for them alone",
                         programs ? "--program" : "--kind"));
    return false;
}

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
        if (refuses_profile(session_.recording(), "perfdata extract", "whole programs")) return usage;
        auto filter = choice_.list.filter(session_.recording());
        if (!filter) return session_.give_up(filter.error());
        filter_ = std::move(*filter);
        if (!session_.read_timeline()) return failed;
        session_.open_symbolizer(choice_.names);
        const auto& symbolizer = session_.symbolizer();
        const auto& symbols = session_.bpf();
        candidates_ = find_candidates(choice_.code, symbolizer);
        if (candidates_.empty()) {
            session_.warn(session_.completeness(), false);
            return session_.give_up(no_candidates(choice_.code, symbolizer));
        }
        if (!choose(symbolizer)) return failed;
        if (!choice_.at.empty()) {
            const auto time = *parse_time(choice_.at);
            const auto all = candidates_;
            std::erase_if(candidates_, [&](const Candidate& candidate) { return !candidate.there(time); });
            if (candidates_.empty()) {
                complain(fmt::format("--at: nothing called {} was there at {}; there are:", choice_.code.wanted(),
                                     choice_.at));
                list_candidates(all);
                return failed;
            }
        }
        if (candidates_.size() > 1) {
            complain(
                fmt::format("{} pieces of code are called {}; choose one:", candidates_.size(), choice_.code.wanted()));
            list_candidates(candidates_);
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
        const auto all = std::exchange(candidates_, {});
        ListCounts counts, functions;
        for (auto candidate : all) {
            const auto part = left_out(symbolizer, filter_, candidate, functions);
            counts.add(part);
            if (part == FilterPart::none) candidates_.push_back(std::move(candidate));
        }
        if (candidates_.empty()) {
            complain(fmt::format("{}: {}; there are:", choice_.code.wanted(), counts.text("pieces of code")));
            list_candidates(all);
            return false;
        }
        session_.note(counts.text("pieces of code"));
        if (candidates_.size() == 1) session_.note(functions.text("functions"));
        return true;
    }

    Result<void> collect(const Candidate& candidate, const BpfPrograms& symbols) {
        const auto& timeline = symbols.timeline();
        for (const auto index : candidate.functions) {
            Piece piece;
            const auto image = symbols.image(index);
            if (!image) return fail(image.error());
            piece.name = symbols.plain_name(index).name;
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
    what->add_option("-s,--symbol", choice->code.symbol,
                     "This function: a BTF name, a kernel symbol (bpf_prog_<tag>_<name>), PROGRAM/SUBPROGRAM by names "
                     "or numbers, or the name of a JIT function")
        ->type_name("NAME");
    what->add_option("--program", choice->code.program,
                     "The BPF program of this id or name; without --symbol: all of it")
        ->type_name("ID|NAME");
    command->add_option("--at", choice->at, "The one that was there at this time, in seconds, such as 12.5")
        ->check(checked(parse_time), "")
        ->type_name("SECONDS");
    choice->common.add_format_to(*command,
                                 "elf (the default): with symbols and lines; raw: the bytes and nothing else");
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
