// SPDX-License-Identifier: MIT
#include "autofdo.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "autofdo_profile.hpp"
#include "function_code.hpp"

namespace perfdata {
namespace {

// RunFunction is a function with what was counted there.
struct RunFunction {
    BranchFunction function;
    std::vector<const BranchCount*> branches;  // that begin there
    std::vector<const RangeCount*> ranges;
    std::vector<const AddressCount*> addresses;
};

// RunLines finds the line of each byte of a function.
class RunLines {
  public:
    RunLines(std::vector<CompiledLine> lines, AutofdoProfile& profile)
        : lines_(std::move(lines)), profile_(profile), functions_(lines_.size()) {}

    struct Place {
        AutofdoProfile::Function function = 0;
        AutofdoLocation at;
        std::uint32_t duplicates = 1;
    };

    const std::vector<CompiledLine>& lines() const { return lines_; }

    // Returns nothing where no line is known.
    std::optional<Place> at(std::uint64_t offset) {
        const auto after = std::ranges::upper_bound(lines_, offset, {}, &CompiledLine::offset);
        if (after == lines_.begin()) return {};
        const auto& line = *std::prev(after);
        if (line.function.name.empty()) return {};
        auto& known = functions_[static_cast<std::size_t>(std::prev(after) - lines_.begin())];
        if (!known) known = function_of(line);
        const auto& innermost = line.calls ? line.calls->front().function : line.function;
        return Place{*known, autofdo_location(line.line, innermost, line.discriminator),
                     autofdo_duplicates(line.discriminator)};
    }

  private:
    AutofdoProfile::Function function_of(const CompiledLine& line) {
        auto function = profile_.top(autofdo_name(line.function.name));
        if (!line.calls) return function;
        const auto* caller = &line.function;
        for (auto call = line.calls->size(); call-- != 0;) {
            const auto& one = (*line.calls)[call];
            function = profile_.inlined(function, autofdo_location(one.line, *caller, one.discriminator),
                                        autofdo_name(one.function.name));
            caller = &one.function;
        }
        return function;
    }

    std::vector<CompiledLine> lines_;
    AutofdoProfile& profile_;
    std::vector<std::optional<AutofdoProfile::Function>> functions_;  // by line
};

class AutofdoWriter {
  public:
    AutofdoWriter(const BranchCounts& counts, const Symbolizer& symbolizer, const AutofdoOptions& options)
        : counts_(counts),
          symbolizer_(symbolizer),
          options_(options),
          functions_(counts, symbolizer),
          decoder_(counts.file) {}

    // Returns false if it was asked to stop.
    bool count() {
        sort_out();
        for (auto& [begin, function] : by_begin_) {
            if (options_.stop.stop_requested() || !load(function.function)) return false;
            add(function);
        }
        // Also calls from outside of the program.
        for (const auto& branch : counts_.branches) {
            if (branch.to == BranchCount::outside) continue;
            const auto& callee = functions_.at(branch.to);
            if (is_entry(callee, branch.to)) profile_.head(profile_.top(autofdo_name(callee.symbol)), branch.taken);
        }
        return true;
    }

    void write(const Sink& sink) { unwritable_ = profile_.write(sink); }

    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        const auto add = [&](std::uint64_t count, std::string_view text) {
            if (count != 0) notes.push_back(fmt::format("autofdo: {} {}", count, text));
        };
        add(without_lines_, counts_.has_branches
                                ? "ranges between branches have no lines: compile the program with -g1 or more, better "
                                  "with -fdebug-info-for-profiling"
                                : "samples have no lines: compile the program with -g1 or more, better with "
                                  "-fdebug-info-for-profiling");
        add(undeclared_,
            "functions lack the line of their declaration: they count from line 0, where compilers do not "
            "look (-fdebug-info-for-profiling records it)");
        if (problem_) notes.push_back("autofdo: " + problem_->message());
        if (decoder_.problem()) {
            notes.push_back("autofdo: totals of functions count lines, not instructions: " +
                            decoder_.problem()->message());
        }
        add(unwritable_, "names cannot be written: those functions are left out");
        return notes;
    }

  private:
    static bool is_entry(const BranchFunction& function, std::uint64_t address) {
        return !function.symbol.empty() && function.begin == address && !function.symbol.ends_with("@plt");
    }

    RunFunction& function_at(std::uint64_t address) {
        const auto& function = functions_.at(address);
        const auto [entry, is_new] = by_begin_.try_emplace(function.begin);
        if (is_new) entry->second.function = function;
        return entry->second;
    }

    void sort_out() {
        for (const auto& branch : counts_.branches) {
            if (branch.from != BranchCount::outside) function_at(branch.from).branches.push_back(&branch);
        }
        for (const auto& range : counts_.ranges) function_at(range.begin).ranges.push_back(&range);
        for (const auto& one : counts_.addresses) function_at(one.address).addresses.push_back(&one);
    }

    // Opens the debug information, which may take long. Returns false if it was asked to stop.
    bool load(const BranchFunction& function) const {
        return function.size == 0 || symbolizer_.load(function.frame, CodeDetail::lines, {options_.stop, {}});
    }

    void lose(const RunFunction& run) {
        for (const auto* range : run.ranges) without_lines_ += range->hits;
        for (const auto* one : run.addresses) without_lines_ += one->hits;
    }

    void add(const RunFunction& run) {
        const auto& function = run.function;
        if (function.size == 0) return lose(run);
        auto read = symbolizer_.compiled_lines(function.frame, function.size);
        if (!read || read->empty()) {
            if (!read && !problem_) problem_ = std::move(read.error());
            return lose(run);
        }
        RunLines lines(std::move(*read), profile_);
        const auto declared = [](const CompiledLine& line) { return line.function.line != 0; };
        if (std::ranges::none_of(lines.lines(), declared)) ++undeclared_;
        for (const auto* one : run.addresses) {
            const auto place = lines.at(one->address - function.begin);
            if (!place) {
                without_lines_ += one->hits;
                continue;
            }
            profile_.sum(place->function, place->at, one->hits);
            profile_.total(place->function, one->hits);
        }
        if (!run.ranges.empty()) add_ranges(run, lines);
        for (const auto* branch : run.branches) {
            if (branch->to == BranchCount::outside) continue;
            const auto callee = functions_.at(branch->to);
            if (!is_entry(callee, branch->to)) continue;
            if (const auto place = lines.at(branch->from - function.begin)) {
                profile_.call(place->function, place->at, autofdo_name(callee.symbol), branch->taken);
            }
        }
    }

    // The steps of a function: its instructions, or where they are unknown, what has one line.
    std::vector<CodeStep> steps_of(const RunFunction& run, const RunLines& lines) {
        auto code = decoder_.decode(run.function);
        if (!code.steps.empty()) return std::move(code.steps);
        std::vector<CodeStep> steps;
        const auto& starts = lines.lines();
        for (std::size_t index = 0; index < starts.size(); ++index) {
            const auto end = index + 1 < starts.size() ? starts[index + 1].offset : run.function.size;
            steps.push_back(
                {run.function.begin + starts[index].offset,
                 static_cast<std::uint32_t>(std::min<std::uint64_t>(end - starts[index].offset, UINT32_MAX)),
                 {},
                 0});
        }
        return steps;
    }

    // Adds up how often each step ran: ranges begin and end at steps. All steps of a function that ran count, those
    // that never ran with 0: compilers tell that from code that nobody knows about.
    void add_ranges(const RunFunction& run, RunLines& lines) {
        const auto steps = steps_of(run, lines);
        std::vector<std::uint64_t> change(steps.size() + 1);  // differences wrap
        const auto index_of = [&](std::uint64_t address) {
            return static_cast<std::size_t>(std::ranges::upper_bound(steps, address, {}, &CodeStep::address) -
                                            steps.begin());
        };
        for (const auto* range : run.ranges) {
            const auto begin = index_of(range->begin), end = index_of(range->end);
            if (begin == 0 || end < begin) {
                without_lines_ += range->hits;
                continue;
            }
            change[begin - 1] += range->hits;
            change[end] -= range->hits;
        }
        std::uint64_t count = 0;
        for (std::size_t index = 0; index < steps.size(); ++index) {
            count += change[index];
            const auto place = lines.at(steps[index].address - run.function.begin);
            if (!place) {
                continue;
            }
            profile_.greatest(place->function, place->at, saturated(count, place->duplicates));
            profile_.total(place->function, saturated(count, steps[index].size));
        }
    }

    static std::uint64_t saturated(std::uint64_t count, std::uint64_t times) {
        std::uint64_t product = 0;
        return __builtin_mul_overflow(count, times, &product) ? ~std::uint64_t{0} : product;
    }

    const BranchCounts& counts_;
    const Symbolizer& symbolizer_;
    const AutofdoOptions& options_;
    BranchFunctions functions_;
    FunctionDecoder decoder_;
    std::map<std::uint64_t, RunFunction> by_begin_;
    AutofdoProfile profile_;
    std::optional<Error> problem_;
    std::uint64_t without_lines_ = 0, undeclared_ = 0, unwritable_ = 0;
};

}  // namespace

Result<std::vector<std::string>> write_autofdo(const BranchCounts& counts, const Symbolizer& symbolizer,
                                               const AutofdoOptions& options, const Sink& sink) {
    return catch_bad_alloc([&]() -> Result<std::vector<std::string>> {
        auto notes = counts.notes("autofdo");
        if (!counts.file) return notes;
        AutofdoWriter writer(counts, symbolizer, options);
        if (!writer.count()) return fail(ErrorCode::cancelled, Error::no_offset, "export", "asked to stop");
        writer.write(sink);
        std::ranges::move(writer.notes(), std::back_inserter(notes));
        return notes;
    });
}

}  // namespace perfdata
