// SPDX-License-Identifier: MIT
// One run of a command on one recording: what it opens, and what every command says of that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "tool/options/line_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/output/progress.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// Session opens what a command needs, in the order of its methods. A step that returns false has said what is wrong:
// the run is over then, with exit code `failed`. What it gives lives as long as it does; steps that did not come yet
// have nothing to give.
class Session {
  public:
    // `common` must outlive it.
    explicit Session(const Common& common) : common_(common) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // open() opens the recording. open_samples() wants one with events as well, and says what there is without them.
    bool open();
    bool open_samples();
    // read_timeline() reads what ran.
    bool read_timeline();
    // open_symbolizer(names, lines) never fails. `lines` may be null, where a command shows no source text.
    // check_names(choice) fails if a file that was given for the kernel is not used.
    void open_symbolizer(const NameChoice& names, const LineChoice* lines = nullptr);
    bool check_names(const NameChoice& choice);

    const Recording& recording() const { return *recording_; }
    const Timeline& timeline() const { return *timeline_; }
    const Symbolizer& symbolizer() const { return *symbolizer_; }
    // bpf() needs a timeline only.
    const BpfPrograms& bpf();

    // progress("counting samples") is what to pass to the call that does that. It is good until end_progress(), which
    // comes before anything else is written; the other methods see to that themselves. progress(stage, output) is for
    // work during which the output goes on.
    Progress progress(std::string stage);
    Progress progress(std::string stage, const Output& output);
    void end_progress() { progress_.reset(); }

    // open_output(), open_paged_output(): nothing if that failed, and it has been said.
    std::optional<Output> open_output();
    std::optional<Output> open_paged_output();
    bool commit(Output& output);

    // completeness() is what was not read so far: of the recording, and of the files that names are from.
    Completeness completeness() const;
    // warn(completeness, kernel) tells losses, and what is wrong with names if they were loaded. kernel: code of the
    // kernel lacks names.
    void warn(const Completeness& completeness, bool kernel = true) const;
    // note(text) says "note: ..." unless --quiet, or there is nothing to say.
    void note(std::string_view text) const;
    // exit_code(...) is as the function of that name says.
    int exit_code(const Completeness& completeness, bool other_losses = false) const;
    // give_up(error) says what is wrong, and is the exit code.
    int give_up(const Error& error);

  private:
    bool said(const Error& error);
    std::optional<Output> opened(Result<Output> output);

    const Common& common_;
    std::optional<ProgressLine> progress_;
    std::optional<Recording> recording_;
    std::optional<Timeline> timeline_;
    std::optional<BpfPrograms> bpf_;
    std::optional<Symbolizer> symbolizer_;
};

}  // namespace perfdata::tool
