// SPDX-License-Identifier: MIT
#include "session.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "perfdata/recording/left_out.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "core/platform.hpp"
#include "format/words.hpp"
#include "recording/stored/model.hpp"
#include "recording/stored/problems.hpp"
#include "report/unnamed_samples.hpp"
#include "report/without_samples.hpp"
#include "tool/run_scope.hpp"

namespace perfdata::tool {
namespace {

// Says that names and lines may be missing in a bundle on purpose; empty: nothing that anybody looked for was left out.
std::string debug_left_out(const BundleFacts& facts) {
    constexpr std::string_view kind = "debug files";
    const auto left_out =
        std::ranges::find(facts.left_out, kind, [](const auto& one) -> std::string_view { return one.first; });
    if (facts.debug != "none" || left_out == facts.left_out.end() || left_out->second == 0) return {};
    const bool one = left_out->second == 1;
    return fmt::format("{} left out of the bundle, and names and lines that only {} lacking: collect again {}",
                       left_out_text(left_out->second, kind) + (one ? " was" : " were"),
                       one ? "it has are" : "they have are",
                       facts.anonymized.empty() ? "with --with-debug lines" : "without --anonymize");
}

}  // namespace

bool Session::open() {
    auto recording = common_.open(progress("unpacking the recording"));
    if (!recording) return said(recording.error());
    recording_.emplace(std::move(*recording));
    return true;
}

bool Session::open_samples() {
    if (!open()) return false;
    if (!recording_->events().empty()) return true;
    for (const auto& problem : recording_->diagnostics().kept()) complain(common_, problem);
    return said(explain_no_events(*recording_, common_.file));
}

bool Session::read_timeline(BpfRecords* records) {
    return keep(build_timeline(records, 1));
}

Result<Timeline> Session::build_timeline(BpfRecords* records, unsigned jobs) {
    Callback<void()> idle;
    if (ahead_) idle = [this] { ahead_->begin(); };
    return Timeline::build(*recording_, {.stop = stop(),
                                         .progress = progress("reading what ran"),
                                         .bpf_records = records,
                                         .jobs = jobs,
                                         .others_idle = idle});
}

bool Session::keep(Result<Timeline> timeline) {
    if (!timeline) return said(timeline.error());
    timeline_.emplace(std::move(*timeline));
    return true;
}

Session::Ahead::Ahead(const Recording& recording, SymbolizerOptions options, bool at_once) : begun(at_once) {
    options.stop = StopToken([this] { return ended.load(); });
    options.progress = {};
    try {
        thread = std::thread([this, &recording, options = std::move(options)] {
            begun.wait(false);
            Symbolizer::read_ahead(recording, options);
        });
    } catch (const std::system_error&) {  // the system has no thread: then nothing is read ahead
    }
}

void Session::Ahead::begin() {
    begun = true;
    begun.notify_one();
}

Session::Ahead::~Ahead() {
    ended = true;
    begin();
    if (thread.joinable()) thread.join();
}

// With this a report without callers takes 0.94 of its wall time on two threads. In a batch, other recordings have the
// threads; with a limit of memory, what is read ahead may be too much.
bool Session::read_timeline(const NameChoice& names, const LineChoice* lines) {
    const bool plain = !recording_->is_profile() && !recording_->bundle();
    if (plain && names.threads() > 1 && common_.scope == nullptr && common_.max_memory == 0) {
        if (!cache_) cache_ = std::make_shared<const SymbolCache>();
        chosen_ = name_options(names, lines);
        // Of two threads one first helps with the records.
        const bool at_once = names.threads() > 2;
        ahead_.emplace(*recording_, *chosen_, at_once);
        auto timeline = build_timeline(nullptr, names.threads() - (at_once ? 1 : 0));
        if (timeline) return keep(std::move(timeline));
        if (timeline.error().code != ErrorCode::out_of_memory) return said(timeline.error());
        // Memory that does not suffice for several threads may do for one.
        ahead_.reset();
    }
    return read_timeline(nullptr);
}

SymbolizerOptions Session::name_options(const NameChoice& names, const LineChoice* lines) {
    auto options = names.options(*recording_, progress("unpacking the build-id cache"));
    options.cache = cache_;
    options.finder.handed_on = options.jit.handed_on = hands_on_ ? handed_on() : HandedOn::no;
    if (recording_->bundle() && names.allow_local) {
        // Nothing in a bundle is more trusted for it.
        options.finder.allow_local = false;
        note("--allow-local has no effect on a bundle: collect again with it, on the recorded machine");
    }
    if (lines != nullptr) options.sources = lines->options(names.offline);
    if (const auto* scope = common_.scope) {
        const bool machine = options.finder.machine() && !recording_->bundle();
        options.files = machine ? scope->machine_files : scope->given_files;
        options.cache = scope->cache;
    }
    options.stop = stop();
    return options;
}

void Session::open_symbolizer(const NameChoice& names, const LineChoice* lines) {
    if (recording_->is_profile()) {
        auto options = names.without_effect();
        if (lines != nullptr && !lines->source_dirs.empty()) options.emplace_back("--source-dir");
        for (const auto option : options) {
            note(fmt::format("{} has no effect: names and lines of a profile file are inside", option));
        }
        const auto& model = *recording_->stored();
        for (const auto& part : stored::filtered(model)) note("the profile is partial: " + part);
        // Reports say what would have helped when it was made.
        const auto lacks_file = [](const stored::Nameless& row) {
            return row.kind.is(CodeClass::user) && is_about_file(row.miss.as<SymbolMiss>());
        };
        if (model.keeps(stored::Dimension::symbol) && std::ranges::any_of(model.nameless, lacks_file)) {
            note("some names were missing when the profile was made: no option adds them now, make it again");
        }
    }
    ahead_.reset();
    auto options = chosen_ ? std::move(*chosen_) : name_options(names, lines);
    chosen_.reset();
    symbolizer_.emplace(Symbolizer::open(*recording_, *timeline_, options));
    if (recording_->bundle()) Bundle::apply(recording_->bundle(), options);
    symbolizer_options_ = std::move(options);
    end_progress();
    if (recording_->bundle()) note(debug_left_out(recording_->bundle()->facts()));
}

HandedOn Session::handed_on() const {
    if (recording_->bundle()) return HandedOn::no;
    const auto files = recording_->input_files();
    const auto is_others = [](const Recording::InputFile& file) { return others_may_have_written(*file.content); };
    if (std::ranges::any_of(files, is_others)) return HandedOn::of_others;
    return platform::reads_all() && !private_ ? HandedOn::if_everybodys : HandedOn::if_fit;
}

std::string Session::private_remedy(std::size_t number, const std::string& first) const {
    return fmt::format(
        "{} that not everybody may read left out (first: {}): {}name them with --perf-map, --jitdump or --source-dir",
        how_many(number, "file"), first,
        handed_on() == HandedOn::if_everybodys ? "add --private if whoever gets this may read them, or " : "");
}

std::string Session::why_recording_is_others() const {
    if (handed_on() != HandedOn::of_others) return {};
    return fmt::format(
        "others may have written {}: it came through a pipe, is not yours alone, or is in a file system that proves no "
        "owners. So only what everybody may read is taken, and nothing of this machine's kernel; make a copy of your "
        "own if you trust it, "
        "or give files with --kallsyms, --perf-map, --jitdump and --source-dir",
        recording_->path());
}

std::string_view Session::why_no_private_sources() const {
    if (handed_on() == HandedOn::of_others) return "others may have written the recording";
    return platform::reads_all() ? "perfdata runs with the right to read all files (as root)" : std::string_view();
}

bool Session::check_names(const NameChoice& choice) {
    const auto taken = choice.check(*symbolizer_);
    return taken ? true : said(taken.error());
}

const BpfPrograms& Session::bpf() {
    if (symbolizer_) return symbolizer_->bpf();
    if (!bpf_) bpf_.emplace(*timeline_);
    return *bpf_;
}

Progress Session::progress(std::string stage) {
    if (common_.scope != nullptr) return {};
    if (!progress_) progress_.emplace(common_);
    return progress_->of(std::move(stage));
}

Progress Session::progress(std::string stage, const Output& output) {
    if (common_.scope != nullptr) return {};
    progress_.emplace(common_, output);
    return progress_->of(std::move(stage));
}

std::optional<Output> Session::open_output() {
    return opened(common_.open_output());
}

std::optional<Output> Session::open_output_as(std::uint32_t permissions) {
    return opened(common_.open_output(permissions));
}

std::optional<Output> Session::open_paged_output(const ScreenChoice& screen) {
    return opened(screen.no_pager ? common_.open_output() : Output::open_paged(common_.place));
}

std::optional<Output> Session::opened(Result<Output> output) {
    end_progress();
    if (output) return std::move(*output);
    said(output.error());
    return std::nullopt;
}

bool Session::commit(Output& output) {
    const auto committed = common_.commit(output);
    return committed ? true : said(committed.error());
}

Completeness Session::completeness() const {
    auto completeness = timeline_->completeness();
    if (symbolizer_) completeness.diagnostics.append(symbolizer_->losses());
    return completeness;
}

void Session::warn(const Completeness& completeness, bool kernel) const {
    warn_losses(common_, completeness);
    if (symbolizer_) warn_names(common_, *symbolizer_, kernel);
}

void Session::note(std::string_view text) const {
    if (!common_.quiet && !text.empty()) complain(common_, "note: " + std::string(text));
}

int Session::exit_code(const Completeness& completeness, bool other_losses) const {
    return tool::exit_code(common_, completeness, other_losses);
}

StopToken Session::stop() const {
    return common_.scope == nullptr ? StopToken() : common_.scope->stop;
}

void Session::count_samples(std::uint64_t number) const {
    if (common_.scope != nullptr) common_.scope->samples = number;
}

int Session::give_up(const Error& error) {
    end_progress();
    if (common_.scope == nullptr) {
        complain(error);
    } else {
        common_.scope->take(error);
        common_.scope->error = error;
    }
    return failed;
}

bool Session::said(const Error& error) {
    give_up(error);
    return false;
}

}  // namespace perfdata::tool
