// SPDX-License-Identifier: MIT
// BTF types as C declarations.
#pragma once

#include <cstdint>
#include <string>

#include "btf_types.hpp"

namespace perfdata {

// btf_function_declaration(types, id) returns "static int f(struct ctx *ctx, __u64 n)"; empty if the id is no
// function.
std::string btf_function_declaration(const BtfTypes& types, std::uint32_t id);

}  // namespace perfdata
