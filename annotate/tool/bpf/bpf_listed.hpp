// SPDX-License-Identifier: MIT
// What of a recording's BPF programs `perfdata bpf` shows: the part that its filters keep.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/bpf/bpf_links.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/bpf_records.hpp"

#include "tool/options/list_options.hpp"

namespace perfdata::tool {

// ListedLoad is a program with those of its functions that the filter keeps.
struct ListedLoad {
    const BpfLoad* load = nullptr;
    std::vector<CodeIndex> functions;

    std::size_t left_out() const { return load->functions.size() - functions.size(); }
};

// Listed is what the filter keeps.
struct Listed {
    std::vector<ListedLoad> loads;
    std::vector<CodeIndex> others;  // code without a program: trampolines, dispatchers, functions of unknown programs
    ListCounts counts;              // of both
};

// choose(programs, filter) returns what passes.
Listed choose(const BpfPrograms& programs, const ListFilter& filter);

// ProgramVariables finds the BPF_METADATA records of a program: they name a function of it, by the kernel's symbol.
// Programs of the same code share a name, so a record may belong to several. It makes one tree of all records; a
// program costs a search for each of its functions.
class ProgramVariables {
  public:
    static constexpr std::size_t most = 64;  // records of a program, and variables that are shown of it

    // Found is the records of a program in the order of the file, and how many there are beyond the limit.
    struct Found {
        std::vector<const BpfVariables*> records;
        std::size_t more = 0;
    };

    // Both must outlive it.
    ProgramVariables(const BpfRecords& records, const BpfPrograms& programs);

    // of(load) returns its records. others() returns those of programs that the recording does not know otherwise.
    Found of(const BpfLoad& load) const;
    Found others() const;

  private:
    std::set<std::string, std::less<>> symbols_of(const BpfLoad& load) const;

    const BpfRecords& records_;
    const BpfPrograms& programs_;
    std::map<std::string_view, std::vector<std::size_t>> by_symbol_;
};

// BpfView is what the parts of the output share. All of it must outlive them.
struct BpfView {
    const BpfPrograms& programs;
    const BpfLinks& links;
    const BpfRecords& records;
    const ProgramVariables& variables;
    const ListFilter& filter;
    const Listed& listed;

    const Timeline& timeline() const { return programs.timeline(); }
};

}  // namespace perfdata::tool
