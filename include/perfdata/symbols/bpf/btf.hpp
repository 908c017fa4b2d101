// SPDX-License-Identifier: MIT
// BTF, the type information of BPF programs: names, prototypes, source lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/wire/feature/bpf_btf.hpp"

namespace perfdata {

class BtfTypes;

// Btf reads one blob. Strings need only the blob's header; types are parsed by libbpf, which may refuse them (a newer
// kernel's kinds, damage): then names and prototypes are missing and lines still work. Const use from many threads is
// safe.
class Btf {
  public:
    // parse(blob, order): the blob must outlive the object. Errors: truncated, malformed: nothing of it is usable.
    static Result<Btf> parse(const BtfBlob& blob, AnyOrder order);

    Btf(Btf&&) noexcept;
    Btf& operator=(Btf&&) noexcept;
    ~Btf();

    // problem() is why there are no types, if there are none.
    const std::optional<Error>& problem() const { return problem_; }

    // text(offset) is a string of the string section, or its first longest_text bytes; empty if the offset is outside
    // or its string does not end. One string may be used by any number of lines and functions.
    static constexpr std::size_t longest_text = 4096;
    std::string_view text(std::uint32_t offset) const;
    // function_name(type_id) is the name of a FUNC; empty if the id is no FUNC.
    std::string_view function_name(std::uint32_t type_id) const;
    // prototype(type_id) is a FUNC as C would declare it, with its linkage: "static __u32 log2_u64(__u64 v)". Empty if
    // the id is no FUNC.
    std::string prototype(std::uint32_t type_id) const;

  private:
    explicit Btf(Bytes strings);

    Bytes strings_;
    std::size_t last_end_;  // of the last string that ends; npos: none does
    std::unique_ptr<BtfTypes> types_;
    std::optional<Error> problem_;
};

}  // namespace perfdata
