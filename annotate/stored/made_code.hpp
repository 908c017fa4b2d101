// SPDX-License-Identifier: MIT
// BPF programs and other code that came and went, in a profile.
#pragma once

#include <cstdint>
#include <map>

#include "perfdata/timeline/code.hpp"

#include "making.hpp"

namespace perfdata {

// MadeCode adds code, and the program that it belongs to, when something first refers to it.
class MadeCode {
  public:
    explicit MadeCode(Making& making) : making_(making) {}

    stored::Ref<stored::Code> of(CodeIndex index);

  private:
    stored::Ref<stored::Load> load(std::uint32_t index);
    stored::LoadInfo info(const BpfLoad& load);

    Making& making_;
    std::map<CodeIndex, stored::Ref<stored::Code>> codes_;
    std::map<std::uint32_t, stored::Ref<stored::Load>> loads_;
};

}  // namespace perfdata
