// SPDX-License-Identifier: MIT
// BTF, the type information of BPF programs: names, prototypes, source lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/wire/feature/bpf_btf.hpp"

namespace perfdata {

class BtfTypes;

// Btf reads one blob. Strings need only the blob's header. libbpf parses the types, and may refuse them (damage, kinds
// of a newer kernel): then names and prototypes are missing, but lines still work. Const use from many threads is safe.
class PERFDATA_EXPORT Btf {
  public:
    // Parses the blob, which must outlive the result. Errors: truncated, malformed: nothing of the blob is usable.
    static Result<Btf> parse(const BtfBlob& blob, AnyOrder order);

    Btf(Btf&&) noexcept;
    Btf& operator=(Btf&&) noexcept;
    ~Btf();

    // Returns why there are no types; nothing if there are.
    const std::optional<Error>& problem() const { return problem_; }

    // Returns a string of the string section; empty if the offset is outside or the string does not end. Cut to
    // longest_text bytes, because any number of lines and functions may refer to one string.
    static constexpr std::size_t longest_text = 4096;
    std::string_view text(std::uint32_t offset) const;
    // Returns the name of a FUNC; empty if the id is no FUNC.
    std::string_view function_name(std::uint32_t type_id) const;
    // Returns the C declaration of a FUNC, with its linkage: "static __u32 log2_u64(__u64 v)". Empty if the id is no
    // FUNC.
    std::string prototype(std::uint32_t type_id) const;
    // Returns the names of the maps that the program's source declares (section .maps), at most so many: the program
    // may use others, and need not use these.
    static constexpr std::size_t most_declared_maps = 64;
    const std::vector<std::string_view>& declared_maps() const { return declared_maps_; }

  private:
    explicit Btf(Bytes strings);

    Bytes strings_;
    std::size_t last_end_;  // position of the last NUL; npos: none
    std::unique_ptr<BtfTypes> types_;
    std::vector<std::string_view> declared_maps_;
    std::optional<Error> problem_;
};

}  // namespace perfdata
