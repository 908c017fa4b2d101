// SPDX-License-Identifier: MIT
// BTF types as C declarations.
#pragma once

#include <cstdint>
#include <string>

struct btf;

namespace perfdata {

// btf_function_declaration(types, id) is "static int f(struct ctx *ctx, __u64 n)"; empty if the id is no FUNC.
std::string btf_function_declaration(const btf& types, std::uint32_t id);

}  // namespace perfdata
