// SPDX-License-Identifier: MIT
// BPF programs as a source of code.
#pragma once

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "symbols/line_texts.hpp"
#include "symbols/source_context.hpp"
#include "symbols/timeline_code.hpp"

namespace perfdata {

// Bytes and lines are those that perf read from the kernel at an unknown time. TEXT_POKE records say what changed.
class BpfSource final : public TimelineCode {
  public:
    BpfSource(const SourceContext& context, const BpfPrograms& programs)
        : TimelineCode(context.timeline), context_(context), programs_(programs) {}

    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const override;
    CodePlace place(const CodeVersion& version) const override;
    LinesOrigin lines_origin(const Frame& function) const override;
    bool is_line_loss(const Error& error) const override { return BpfPrograms::is_loss(error); }

  private:
    const SourceContext& context_;
    const BpfPrograms& programs_;
};

}  // namespace perfdata
