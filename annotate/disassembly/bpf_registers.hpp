// SPDX-License-Identifier: MIT
// Which register of BPF a register of the machine stands for in code that the kernel's BPF JIT made.
#pragma once

#include <string>
#include <string_view>

namespace perfdata {

// bpf_registers(arch, operands) is "rdi=r1, rbx=r6" for the registers that the operands name, each once, in their
// order; empty if none stands for one of BPF or the JIT of `arch` (as `uname -m` says) is not known here.
std::string bpf_registers(std::string_view arch, std::string_view operands);

}  // namespace perfdata
