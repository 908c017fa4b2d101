// SPDX-License-Identifier: MIT
// BPF_BTF (26): the type information of the BPF programs, one raw BTF blob per id. write_bpf_btf in
// tools/perf/util/header.c.
#pragma once

#include <cstdint>

#include "perfdata/core/types.hpp"

namespace perfdata {

// BtfBlob is what the kernel knows of the types of one or more programs, in the format BTF.
struct BtfBlob {
    std::uint32_t id = 0;      // BpfProgramInfo::btf_id
    std::uint64_t offset = 0;  // of the data in the file
    Bytes data;                // lives as long as the section; not checked
};

}  // namespace perfdata
