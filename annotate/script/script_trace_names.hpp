// SPDX-License-Identifier: MIT
// Names of kernel code in the text of tracepoints ("%pS"): those that the kernel had when the sample was taken.
#pragma once

#include <fmt/format.h>
#include <iterator>

#include "format/words.hpp"
#include "script_places.hpp"
#include "trace/trace_names.hpp"

namespace perfdata {

class ScriptTraceNames final : public TraceNames {
  public:
    // The places must outlive it.
    ScriptTraceNames(ScriptPlaces& places, const Moment& moment) : places_(places), moment_(moment) {}

    bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) override {
        const auto& name = places_.name(places_.find(moment_, Address{address}, CpuMode::kernel));
        // The symbol at the end of the kernel's code names no data behind it.
        if (name.symbol.empty() || name.symbol == "_etext") return false;
        text += shown(name.symbol);
        if (with_offset) fmt::format_to(std::back_inserter(text), "+{:#x}", name.offset);
        return true;
    }

  private:
    ScriptPlaces& places_;
    Moment moment_;
};

}  // namespace perfdata
