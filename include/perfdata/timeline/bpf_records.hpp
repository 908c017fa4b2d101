// SPDX-License-Identifier: MIT
// The records about BPF code one by one: what a list of programs and their lives adds up.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/text_arena.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

// BpfChange is one BPF_EVENT record, or one KSYMBOL record of BPF code.
struct BpfChange {
    // Kind is what happened: a program was loaded or unloaded, code was registered or unregistered.
    enum class Kind : std::uint8_t { load, unload, registered, unregistered };

    Kind kind = Kind::load;     // see Kind
    Time time;                  // zero: perf wrote it of what was there before the recording
    std::uint64_t offset = 0;   // of the record, in the file
    ProgramId id;               // load, unload; some kernels write 0 on unload
    BpfTag tag{};               // load, unload: of the whole program
    AddressRange range;         // registered, unregistered
    std::string_view symbol{};  // registered, unregistered: the kernel's name; lives as long as the BpfRecords
};

// BpfVariables is a BPF_METADATA record: the variables bpf_metadata_* of a program. Views live as long as the
// BpfRecords.
struct BpfVariables {
    std::uint64_t offset = 0;    // of the record, in the file
    std::string_view program{};  // the symbol of one of its functions: bpf_prog_<tag>_<name>
    // Keys, without bpf_metadata_, and values, as perf printed the variable.
    std::vector<std::pair<std::string_view, std::string_view>> entries{};
};

// BpfRecords is what Timeline::build() meets of them: see TimelineOptions::bpf_records. Code that is not of BPF
// (ksym_type out of line) is not among them.
//
// Limits bound it: no more changes, and no more variables, than Limits::code_versions, and no more bytes of names than
// code_name_bytes() of that.
class PERFDATA_EXPORT BpfRecords {
  public:
    // changes() returns them in order of time; those of one time in the order of the file.
    std::span<const BpfChange> changes() const { return changes_; }
    // variables() returns them in the order of the file.
    std::span<const BpfVariables> variables() const { return variables_; }

  private:
    friend class BpfRecordsBuilder;

    TextArena texts_;
    std::vector<BpfChange> changes_;
    std::vector<BpfVariables> variables_;
};

}  // namespace perfdata
