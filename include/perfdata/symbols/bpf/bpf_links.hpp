// SPDX-License-Identifier: MIT
// What BPF programs are attached to, and which programs a trampoline is for, as far as a recording tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

namespace perfdata {

// BpfTrampolineKey is the number in the name of a trampoline: "bpf_trampoline_6442492238".
struct BpfTrampolineKey {
    std::uint32_t object = 0;  // id of a BTF object (the kernel, a module), or of a BPF program
    bool program = false;      // `object` is the id of a program
    std::uint32_t btf_id = 0;  // of the traced function, in the BTF of `object`
};
// parse_bpf_trampoline(symbol) returns the key; empty if the symbol is no trampoline's. Older kernels append "_"
// and a number.
PERFDATA_EXPORT std::optional<BpfTrampolineKey> parse_bpf_trampoline(std::string_view symbol);

// parse_bpf_dispatcher(symbol) returns the name of a dispatcher: "xdp" of "bpf_dispatcher_xdp"; else empty.
PERFDATA_EXPORT std::string_view parse_bpf_dispatcher(std::string_view symbol);

// BpfLink is one end of a link between a program and a trampoline or a traced program.
struct BpfLink {
    std::uint32_t index = 0;  // in Timeline::loads() or Timeline::code()
    // False if the kernel no longer knew the object that a program traces: it forgets a program's when that is
    // attached. Then only the BTF type agrees.
    bool certain = true;
};

// BpfAttachment is what a program says that it is attached to, or can be.
struct BpfAttachment {
    std::uint32_t btf_object = 0;        // id of the BTF object; 0: the kernel did not say
    std::uint32_t btf_id = 0;            // of the function or type in it
    std::string_view function{};         // its name, if the recording has that BTF; lives as long as the BpfPrograms
    std::vector<BpfLink> trampolines{};  // there at the same time, in Timeline::code(); at most BpfLinks::most
    std::size_t more = 0;                // trampolines there at the same time, beyond that
    std::size_t not_searched = 0;        // beyond BpfLinks::searched: they may have been there, or not
};

// BpfTrampoline is what a recording tells of a trampoline.
struct BpfTrampoline {
    BpfTrampolineKey key;             // from its name
    std::string_view function{};      // the traced function, if the recording has its BTF; lives as the BpfPrograms
    std::vector<BpfLink> programs{};  // that it may call: there at the same time, in Timeline::loads()
    std::size_t more = 0;             // programs there at the same time, beyond BpfLinks::most
    std::size_t not_searched = 0;     // beyond BpfLinks::searched: they may have been there, or not
};

// BpfLinks answers for one timeline. All links are by number, one step long: there is nothing to follow, so cycles do
// no harm. Making it costs n log n in the number of loads and of code; a question looks at BpfLinks::searched links at
// most.
class PERFDATA_EXPORT BpfLinks {
  public:
    static constexpr std::size_t most = 64;        // links in an answer
    static constexpr std::size_t searched = 1024;  // candidates that a question looks at

    // The programs must outlive it.
    explicit BpfLinks(const BpfPrograms& programs);

    // attachment(load) returns nothing if the program has no BTF type to attach to, or if the recording does not say.
    std::optional<BpfAttachment> attachment(const BpfLoad& load) const;
    // trampoline(code) returns nothing for code that is no trampoline.
    std::optional<BpfTrampoline> trampoline(CodeIndex code) const;

  private:
    using Target = std::pair<std::uint32_t, std::uint32_t>;  // object, BTF type in it
    // Candidate is a load or code; candidates are sorted by their begin.
    struct Candidate {
        Time from, until;
        std::uint32_t index = 0;
        Time latest{};  // the latest `until` of this one and of those before
    };
    using Candidates = std::vector<Candidate>;
    using Targets = std::map<Target, Candidates>;

    static void sort(Targets& targets);
    // Adds those that were there between the times.
    template <class Answer, class List>
    static void add_links(Answer& answer, List& list, const Candidates& candidates, bool certain, Time from,
                          Time until);

    const BpfLoad* load_of_program(std::uint32_t id) const;

    const BpfPrograms* programs_;
    std::map<std::uint32_t, std::uint32_t> loads_by_id_;  // the first load of a program id
    std::map<std::uint32_t, std::uint32_t> by_btf_;       // the first load whose types are this BTF object
    Targets attached_;                                    // loads by what they say they trace
    Targets trampolines_;                                 // code by the BTF object and type in its name
    Targets of_programs_;                                 // the same of those for programs: by 0 and BTF type
};

}  // namespace perfdata
