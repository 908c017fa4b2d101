// SPDX-License-Identifier: MIT
// Names of kernel code in the text of tracepoints ("%pS"): those that the kernel had when the sample was taken.
#pragma once

#include "script_places.hpp"
#include "trace/trace_names.hpp"

namespace perfdata {

class ScriptTraceNames final : public TraceNames {
  public:
    // The places must outlive it.
    ScriptTraceNames(ScriptPlaces& places, const Moment& moment) : places_(places), moment_(moment) {}

    bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) override {
        const auto& name = places_.name(places_.find(moment_, Address{address}, CpuMode::kernel));
        return append_found_symbol(text, name.symbol, name.offset, with_offset);
    }

  private:
    ScriptPlaces& places_;
    Moment moment_;
};

}  // namespace perfdata
