// SPDX-License-Identifier: MIT
// Memory without a file as a source of code: perf maps name it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/symbols/jit/perf_map.hpp"

#include "symbols/code_source.hpp"
#include "symbols/source_context.hpp"

namespace perfdata {

// Bytes and lines of such code are not recorded anywhere.
class PerfMapSource final : public CodeSource {
  public:
    explicit PerfMapSource(const SourceContext& context);

    FrameName name(const Frame& frame) const override;
    FunctionExtent extent(const Frame& frame) const override;
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    Result<std::vector<LineStart>> lines(const Frame&, std::uint64_t) const override {
        return std::vector<LineStart>{};
    }

  private:
    void load_maps(const SourceContext& context);
    std::optional<PerfMap::Symbol> symbol(const Frame& frame) const;

    std::map<std::uint32_t, std::shared_ptr<const PerfMap>> maps_;  // by pid: O(log n) per search
    std::map<std::uint32_t, std::string> names_;                    // by pid: "/tmp/perf-PID.map"
};

}  // namespace perfdata
