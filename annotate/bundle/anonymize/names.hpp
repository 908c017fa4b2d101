// SPDX-License-Identifier: MIT
// What stands in place of names in an anonymized recording.
#pragma once

#include <string>
#include <string_view>

#include "perfdata/wire/attr.hpp"

#include "bundle/anonymize/secret_hash.hpp"

namespace perfdata {

// Names replaces texts by keyed hashes, one text at a time and without a table. Different texts get different names of
// the same kind, so that whatever was grouped by them stays grouped as it was. Words that tools need stay: see
// words.hpp.
class Names {
  public:
    explicit Names(SecretHash hash) : hash_(hash) {}

    // comm(text): "c_" and the hash, 15 characters as the kernel's longest; "swapper/1" and perf's own stay.
    std::string comm(std::string_view text) const;
    // path(text): "/p_" and the hash. What says that something is no file stays ("[heap]", "/memfd:"), as do the
    // endings " (deleted)" and ".ko.xz", and the names that tools look for behind a hash of the whole:
    // jit-PID.dump, jitted-PID-N.so, the names of modules, themselves hashed. /tmp/perf-PID.map stays.
    std::string path(std::string_view text) const;
    // module(text): "m_" and the hash; "-" and "_" are the same, as for the kernel. For "[nf_nat]", "nf-nat.ko.xz" and
    // kallsyms.
    std::string module(std::string_view text) const;
    // symbol(text): "n_" and the hash, 15 characters as the longest name of a BPF program. "bpf_prog_" and its tag,
    // "bpf_trampoline_" and its number stay, as do the kernel's marks of its beginning and end.
    std::string symbol(std::string_view text) const;
    std::string cgroup(std::string_view text) const;  // "/g_" and the hash; "/" stays
    std::string host(std::string_view text) const;    // "h_" and the hash
    // argument(text): "a_" and the hash. PerfArguments says which stay.
    std::string argument(std::string_view text) const;
    // event(text, attr): "e_" and the hash, or that of a tracepoint's system and name each; names that are made of
    // public words stay.
    std::string event(std::string_view text, const Attr& attr) const;
    std::string pmu(std::string_view text) const;     // "u_" and the hash; known PMUs stay
    std::string group(std::string_view text) const;   // of events: "e_" and the hash; "{anon_group}" stays
    std::string domain(std::string_view text) const;  // of the scheduler: "d_" and the hash; "SMT" and so on stay
    // inode(of) hashes the number of a namespace; 0 stays.
    std::uint64_t inode(std::uint64_t of) const { return of == 0 ? 0 : hash_.number('i', of); }

    // release(text) returns the numbers at the beginning of a version: "6.1.0" of "6.1.0-41-secret".
    static std::string release(std::string_view text);
    // cpuid(text) returns the vendor and the numbers behind it: "GenuineIntel,6,85,7"; empty for anything else.
    static std::string cpuid(std::string_view text);

  private:
    std::string hashed(char kind, std::string_view text) const;
    std::string path_of_file(std::string_view text) const;
    std::string file(std::string_view path) const;
    std::string trace_part(std::string_view text, bool known) const;

    SecretHash hash_;
};

}  // namespace perfdata
