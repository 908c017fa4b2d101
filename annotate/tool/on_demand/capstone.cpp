// SPDX-License-Identifier: MIT
// Capstone, for listings: 77,000 of its addresses are relocated when it is loaded. That was 1.4 of the 4.3 ms and 3.2
// of the 11.9 MiB of `perfdata info`.
#define CAPSTONE_STATIC  // hidden functions, which do not come between Capstone's own
#include <capstone/capstone.h>
#include <cstddef>
#include <cstdint>

#include "on_demand.hpp"

namespace perfdata::tool {
namespace {

// What the program said about memory, which it does first of all (Disassembler::throw_without_memory()).
cs_opt_mem capstone_memory{};

const OnDemand& libcapstone() {
    static const auto* const loaded = [] {
        const auto* library = new OnDemand(PERFDATA_LIBCAPSTONE);
        if (capstone_memory.malloc != nullptr) {
            library->function<decltype(&cs_option)>("cs_option")(0, CS_OPT_MEM,
                                                                 reinterpret_cast<std::size_t>(&capstone_memory));
        }
        return library;
    }();
    return *loaded;
}

template <auto function>
auto in_capstone(const char* name) {
    return on_demand<libcapstone, function>(name);
}

}  // namespace
}  // namespace perfdata::tool

using perfdata::tool::in_capstone;

extern "C" {

cs_err cs_close(csh* handle) {
    return in_capstone<cs_close>("cs_close")(handle);
}
bool cs_disasm_iter(csh handle, const std::uint8_t** code, std::size_t* size, std::uint64_t* address, cs_insn* insn) {
    return in_capstone<cs_disasm_iter>("cs_disasm_iter")(handle, code, size, address, insn);
}
void cs_free(cs_insn* insn, std::size_t count) {
    in_capstone<cs_free>("cs_free")(insn, count);
}
bool cs_insn_group(csh handle, const cs_insn* insn, unsigned int group) {
    return in_capstone<cs_insn_group>("cs_insn_group")(handle, insn, group);
}
cs_insn* cs_malloc(csh handle) {
    return in_capstone<cs_malloc>("cs_malloc")(handle);
}
cs_err cs_open(cs_arch arch, cs_mode mode, csh* handle) {
    return in_capstone<cs_open>("cs_open")(arch, mode, handle);
}
cs_err cs_option(csh handle, cs_opt_type type, std::size_t value) {
    if (type == CS_OPT_MEM) {
        perfdata::tool::capstone_memory = *reinterpret_cast<const cs_opt_mem*>(value);
        return CS_ERR_OK;
    }
    return in_capstone<cs_option>("cs_option")(handle, type, value);
}
const char* cs_strerror(cs_err code) {
    return in_capstone<cs_strerror>("cs_strerror")(code);
}

}  // extern "C"
