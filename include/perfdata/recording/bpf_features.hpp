// SPDX-License-Identifier: MIT
// The BPF programs and type information that a recording carries, in memory.
#pragma once

#include <span>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/feature/bpf_btf.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"

namespace perfdata {

// BpfFeatures owns the bytes of BPF_PROG_INFO and BPF_BTF; all views given out live as long as it does (moving it keeps
// them valid).
class PERFDATA_EXPORT BpfFeatures {
  public:
    // read(recording) reads what can be framed; the rest is in diagnostics(). Returns an empty object for a recording
    // without the features.
    static BpfFeatures read(const Recording& recording);

    BpfFeatures(BpfFeatures&&) noexcept;
    BpfFeatures& operator=(BpfFeatures&&) noexcept;
    BpfFeatures(const BpfFeatures&) = delete;
    BpfFeatures& operator=(const BpfFeatures&) = delete;
    ~BpfFeatures();

    // programs() is in file order; ids are unique (the first of two entries with one id counts).
    std::span<const BpfProgramInfo> programs() const;
    const BpfProgramInfo* program(ProgramId id) const;
    std::span<const BtfBlob> btf() const;
    const BtfBlob* btf(std::uint32_t id) const;
    const DiagnosticLog& diagnostics() const { return diagnostics_; }

  private:
    BpfFeatures();

    void read_programs(const Recording& recording);
    void read_btf(const Recording& recording);

    std::vector<std::byte> program_bytes_, btf_bytes_;
    std::vector<BpfProgramInfo> programs_;  // sorted copies of indices are in by_id_
    std::vector<std::pair<std::uint32_t, std::uint32_t>> program_by_id_, btf_by_id_;
    std::vector<BtfBlob> btf_;
    DiagnosticLog diagnostics_;
};

}  // namespace perfdata
