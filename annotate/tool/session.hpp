// SPDX-License-Identifier: MIT
// One run of a command on one recording: opens what it needs and reports problems.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "perfdata/recording/handed_on.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbol_cache.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "tool/options/line_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/screen_options.hpp"
#include "tool/output/progress.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// Session opens what a command needs, in the order of its methods. A step that returns false has reported the error:
// end the run with exit code `failed`. Results live as long as the session; do not use results of steps that have not
// run.
class Session {
  public:
    // `common` must outlive the session.
    explicit Session(const Common& common) : common_(common) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // open() opens the recording. open_samples() also requires events, and explains their absence.
    bool open();
    bool open_samples();
    // read_timeline(records): `records` may be null; see TimelineOptions.
    bool read_timeline(BpfRecords* records = nullptr);
    // read_timeline(names, lines) also reads symbols meanwhile, if there are threads for it: call open_symbolizer()
    // with the same, and with what share() and hand_on() say already.
    bool read_timeline(const NameChoice& names, const LineChoice* lines = nullptr);
    // share(cache) makes open_symbolizer() use what other sessions read of files with code.
    void share(std::shared_ptr<const SymbolCache> cache) { cache_ = std::move(cache); }
    // open_symbolizer(names, lines) never fails. `lines` may be null if the command shows no source text.
    // check_names(choice) fails if a file given for the kernel is not used.
    void open_symbolizer(const NameChoice& names, const LineChoice* lines = nullptr);
    bool check_names(const NameChoice& choice);
    // hand_on() makes open_symbolizer() use only files of processes that may be handed on to others, see
    // fit_to_hand_on().
    void hand_on() { hands_on_ = true; }
    // allow_private(true) lets them be files that not everybody may read also where this user may read all files; see
    // add_private_to().
    void allow_private(bool allow) { private_ = allow; }
    // handed_on() returns which files the recording may name to be handed on. What a bundle has was judged when it was
    // packed. private_remedy(number, first) returns what to do about files that were left out since not everybody may
    // read them. why_no_private_sources() is for SourceReader::why_no_private.
    HandedOn handed_on() const;
    std::string private_remedy(std::size_t number, const std::string& first) const;
    std::string_view why_no_private_sources() const;
    // Returns a note that the recording counts as another user's, and what follows; empty if it does not.
    std::string why_recording_is_others() const;
    // symbolizer_options() returns what open_symbolizer() opened with, as the Symbolizer completes it: of a bundle its
    // files. It lives as long as the session.
    const SymbolizerOptions& symbolizer_options() const { return symbolizer_options_; }

    const Recording& recording() const { return *recording_; }
    const Timeline& timeline() const { return *timeline_; }
    const Symbolizer& symbolizer() const { return *symbolizer_; }
    // bpf() needs only the timeline.
    const BpfPrograms& bpf();

    // progress("counting samples") returns the callback for a call that does that. It is valid until end_progress(),
    // which must come before any other output to the terminal; other methods call it themselves. progress(stage,
    // output) is for work that produces output meanwhile.
    Progress progress(std::string stage);
    Progress progress(std::string stage, const Output& output);
    void end_progress() { progress_.reset(); }

    // open_output(), open_paged_output(): empty if that failed and was reported.
    std::optional<Output> open_output();
    // open_output_as(permissions) makes a new file with these, before the umask.
    std::optional<Output> open_output_as(std::uint32_t permissions);
    std::optional<Output> open_paged_output(const ScreenChoice& screen);
    bool commit(Output& output);

    // completeness() returns what has not been read so far: of the recording and of files of names.
    Completeness completeness() const;
    // warn(completeness, kernel) reports losses and problems with loaded names. kernel: some kernel code lacks names.
    void warn(const Completeness& completeness, bool kernel = true) const;
    // note(text) prints "note: ..." unless --quiet or the text is empty.
    void note(std::string_view text) const;
    // exit_code(...): see the function of that name in tool.hpp.
    int exit_code(const Completeness& completeness, bool other_losses = false) const;
    // stop() ends long calls early; it never does where the process has one run.
    StopToken stop() const;
    // count_samples(number) says how many samples the result rests on.
    void count_samples(std::uint64_t number) const;
    // give_up(error) reports the error and returns the exit code.
    int give_up(const Error& error);

  private:
    // Ahead is a thread that reads symbols. Its end waits for that.
    struct Ahead {
        Ahead(const Recording& recording, SymbolizerOptions options, bool at_once);
        ~Ahead();
        void begin();
        std::atomic<bool> begun, ended = false;
        std::thread thread;
    };
    SymbolizerOptions name_options(const NameChoice& names, const LineChoice* lines);
    Result<Timeline> build_timeline(BpfRecords* records, unsigned jobs);
    bool keep(Result<Timeline> timeline);
    bool said(const Error& error);
    std::optional<Output> opened(Result<Output> output);

    const Common& common_;
    std::optional<ProgressLine> progress_;
    std::optional<Recording> recording_;
    std::optional<Timeline> timeline_;
    std::optional<BpfPrograms> bpf_;
    SymbolizerOptions symbolizer_options_;
    std::optional<Symbolizer> symbolizer_;
    std::shared_ptr<const SymbolCache> cache_;  // null: nothing is shared
    bool hands_on_ = false;                     // see hand_on()
    bool private_ = false;                      // see allow_private()
    std::optional<SymbolizerOptions> chosen_;   // by read_timeline(), for open_symbolizer()
    std::optional<Ahead> ahead_;
};

}  // namespace perfdata::tool
