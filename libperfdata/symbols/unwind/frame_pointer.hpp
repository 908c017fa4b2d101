// SPDX-License-Identifier: MIT
#pragma once
#include "symbols/unwind/frame_step.hpp"
namespace perfdata {
inline StepOutcome step_by_frame_pointer(const UnwindTarget&, const StackMemory&, RegisterFile&) { return StepOutcome::register_missing; }
}
