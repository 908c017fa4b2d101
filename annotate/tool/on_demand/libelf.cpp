// SPDX-License-Identifier: MIT
// libelf, which hands files to libdw.
#include <cstddef>
#include <gelf.h>
#include <libelf.h>

#include "on_demand.hpp"

namespace perfdata::tool {
namespace {

const OnDemand& libelf() {
    static const auto* const loaded = new OnDemand(PERFDATA_LIBELF);
    return *loaded;
}

template <auto function>
auto in_libelf(const char* name) {
    return on_demand<libelf, function>(name);
}

}  // namespace
}  // namespace perfdata::tool

using perfdata::tool::in_libelf;

extern "C" {

int elf_end(Elf* elf) {
    return in_libelf<elf_end>("elf_end")(elf);
}
const char* elf_errmsg(int error) {
    return in_libelf<elf_errmsg>("elf_errmsg")(error);
}
Elf_Data* elf_getdata(Elf_Scn* section, Elf_Data* data) {
    return in_libelf<elf_getdata>("elf_getdata")(section, data);
}
char* elf_getident(Elf* elf, std::size_t* size) {
    return in_libelf<elf_getident>("elf_getident")(elf, size);
}
Elf_Scn* elf_getscn(Elf* elf, std::size_t index) {
    return in_libelf<elf_getscn>("elf_getscn")(elf, index);
}
int elf_getshdrstrndx(Elf* elf, std::size_t* index) {
    return in_libelf<elf_getshdrstrndx>("elf_getshdrstrndx")(elf, index);
}
Elf* elf_memory(char* image, std::size_t size) {
    return in_libelf<elf_memory>("elf_memory")(image, size);
}
std::size_t elf_ndxscn(Elf_Scn* section) {
    return in_libelf<elf_ndxscn>("elf_ndxscn")(section);
}
Elf_Scn* elf_nextscn(Elf* elf, Elf_Scn* section) {
    return in_libelf<elf_nextscn>("elf_nextscn")(elf, section);
}
char* elf_strptr(Elf* elf, std::size_t section, std::size_t offset) {
    return in_libelf<elf_strptr>("elf_strptr")(elf, section, offset);
}
unsigned int elf_version(unsigned int version) {
    return in_libelf<elf_version>("elf_version")(version);
}
GElf_Shdr* gelf_getshdr(Elf_Scn* section, GElf_Shdr* header) {
    return in_libelf<gelf_getshdr>("gelf_getshdr")(section, header);
}

}  // extern "C"
