// SPDX-License-Identifier: MIT
// BTF in a file of its own, or in a section of an ELF file.
#pragma once

#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/progress.hpp"

namespace perfdata {

// read_btf(path, limits, watch) returns the blob in a file: all of it (/sys/kernel/btf/vmlinux, for example), or the
// section .BTF of an ELF file: a kernel or a BPF object. Both may be packed. Errors: io, limit, malformed, truncated,
// cancelled; missing: an ELF file without the section.
Result<std::string> read_btf(const std::string& path, const Limits& limits, const Watch& watch = {});

}  // namespace perfdata
