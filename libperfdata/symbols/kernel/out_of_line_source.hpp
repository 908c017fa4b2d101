// SPDX-License-Identifier: MIT
// Out-of-line code of the kernel as a source: kprobe slots, ftrace trampolines, BPF trampolines and dispatchers.
#pragma once

#include "kernel_code.hpp"
#include "symbols/source_context.hpp"
#include "symbols/timeline_code.hpp"

namespace perfdata {

// The bytes come from the TEXT_POKE records that wrote the code. A copy of memory certainly has it only if it existed
// all the time. Its source lines are not recorded anywhere.
class OutOfLineSource final : public TimelineCode {
  public:
    OutOfLineSource(const SourceContext& context, const KernelCode& kernel)
        : TimelineCode(context.timeline), context_(context), kernel_(kernel) {}

    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    CodePlace place(const CodeVersion& version) const override;
    Result<std::vector<LineStart>> lines(const Frame&, std::uint64_t) const override {
        return std::vector<LineStart>{};
    }

  private:
    bool always_there(const Frame& function) const;

    const SourceContext& context_;
    const KernelCode& kernel_;
};

}  // namespace perfdata
