// SPDX-License-Identifier: MIT
// libbpf, for BTF. It needs libelf: see libdw.cpp for the gain.
#define LIBBPF_API  // hidden functions, which do not come between libbpf's own
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "on_demand.hpp"

namespace perfdata::tool {
namespace {

const OnDemand& libbpf() {
    static const auto* const loaded = new OnDemand(PERFDATA_LIBBPF);
    return *loaded;
}

template <auto function>
auto in_libbpf(const char* name) {
    return on_demand<libbpf, function>(name);
}

}  // namespace
}  // namespace perfdata::tool

using perfdata::tool::in_libbpf;

extern "C" {

__s32 btf__find_by_name_kind(const btf* types, const char* name, __u32 kind) {
    return in_libbpf<btf__find_by_name_kind>("btf__find_by_name_kind")(types, name, kind);
}
void btf__free(btf* types) {
    in_libbpf<btf__free>("btf__free")(types);
}
const char* btf__name_by_offset(const btf* types, __u32 offset) {
    return in_libbpf<btf__name_by_offset>("btf__name_by_offset")(types, offset);
}
btf* btf__new(const void* data, __u32 size) {
    return in_libbpf<btf__new>("btf__new")(data, size);
}
const btf_type* btf__type_by_id(const btf* types, __u32 id) {
    return in_libbpf<btf__type_by_id>("btf__type_by_id")(types, id);
}
libbpf_print_fn_t libbpf_set_print(libbpf_print_fn_t print) {
    return in_libbpf<libbpf_set_print>("libbpf_set_print")(print);
}

}  // extern "C"
