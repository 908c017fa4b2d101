// SPDX-License-Identifier: MIT
// Jitdumps as a source of code: functions that a just-in-time compiler recorded with their bytes and lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "perfdata/timeline/jit_codes.hpp"

#include "symbols/code_source.hpp"
#include "symbols/source_context.hpp"
#include "symbols/unwind/file_cfi.hpp"

namespace perfdata {

class JitSource final : public CodeSource {
  public:
    explicit JitSource(const SourceContext& context);

    FrameName name(const Frame& frame) const override;
    FunctionExtent extent(const Frame& frame) const override;
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const override;
    CodePlace place(const CodeVersion& version) const override;
    LinesOrigin lines_origin(const Frame& function) const override;
    std::uint64_t lines_size(const Frame& function) const override;
    // Reports damaged names of source files.
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const override;

    UnwindPlace unwind_place(const Frame& frame) const override;

    const JitCodes& codes() const { return codes_; }

  private:
    void tell(const JitCode& code);

    const SourceContext& context_;
    JitCodes codes_;
    mutable std::mutex mutex_;
    // By dump and place in it: any number of moves may share one. Null: none.
    mutable std::map<std::pair<const JitCode*, std::uint64_t>, std::unique_ptr<const FileCfi>> cfi_;
};

}  // namespace perfdata
