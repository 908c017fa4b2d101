// SPDX-License-Identifier: MIT
// libdw, for lines and inlined calls of ELF files: with libelf and libbpf it was 0.3 of the 3.0 ms of `perfdata info`.
#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "on_demand.hpp"

namespace perfdata::tool {
namespace {

const OnDemand& libdw() {
    static const auto* const loaded = new OnDemand(PERFDATA_LIBDW);
    return *loaded;
}

template <auto function>
auto in_libdw(const char* name) {
    return on_demand<libdw, function>(name);
}

}  // namespace
}  // namespace perfdata::tool

using perfdata::tool::in_libdw;

extern "C" {

Dwarf_Attribute* dwarf_attr(Dwarf_Die* die, unsigned int name, Dwarf_Attribute* result) {
    return in_libdw<dwarf_attr>("dwarf_attr")(die, name, result);
}
Dwarf* dwarf_begin_elf(Elf* elf, Dwarf_Cmd command, Elf_Scn* group) {
    return in_libdw<dwarf_begin_elf>("dwarf_begin_elf")(elf, command, group);
}
Dwarf_Die* dwarf_diecu(Dwarf_Die* die, Dwarf_Die* result, std::uint8_t* address_size, std::uint8_t* offset_size) {
    return in_libdw<dwarf_diecu>("dwarf_diecu")(die, result, address_size, offset_size);
}
int dwarf_end(Dwarf* dwarf) {
    return in_libdw<dwarf_end>("dwarf_end")(dwarf);
}
const char* dwarf_errmsg(int error) {
    return in_libdw<dwarf_errmsg>("dwarf_errmsg")(error);
}
const char* dwarf_filesrc(Dwarf_Files* files, std::size_t index, Dwarf_Word* time, Dwarf_Word* length) {
    return in_libdw<dwarf_filesrc>("dwarf_filesrc")(files, index, time, length);
}
Dwarf_Die* dwarf_formref_die(Dwarf_Attribute* attribute, Dwarf_Die* memory) {
    return in_libdw<dwarf_formref_die>("dwarf_formref_die")(attribute, memory);
}
const char* dwarf_formstring(Dwarf_Attribute* attribute) {
    return in_libdw<dwarf_formstring>("dwarf_formstring")(attribute);
}
int dwarf_formudata(Dwarf_Attribute* attribute, Dwarf_Word* value) {
    return in_libdw<dwarf_formudata>("dwarf_formudata")(attribute, value);
}
int dwarf_get_units(Dwarf* dwarf, Dwarf_CU* unit, Dwarf_CU** next, Dwarf_Half* version, std::uint8_t* type,
                    Dwarf_Die* die, Dwarf_Die* subdie) {
    return in_libdw<dwarf_get_units>("dwarf_get_units")(dwarf, unit, next, version, type, die, subdie);
}
Elf* dwarf_getelf(Dwarf* dwarf) {
    return in_libdw<dwarf_getelf>("dwarf_getelf")(dwarf);
}
int dwarf_getsrcfiles(Dwarf_Die* unit, Dwarf_Files** files, std::size_t* count) {
    return in_libdw<dwarf_getsrcfiles>("dwarf_getsrcfiles")(unit, files, count);
}
int dwarf_getsrclines(Dwarf_Die* unit, Dwarf_Lines** lines, std::size_t* count) {
    return in_libdw<dwarf_getsrclines>("dwarf_getsrclines")(unit, lines, count);
}
int dwarf_hasattr(Dwarf_Die* die, unsigned int name) {
    return in_libdw<dwarf_hasattr>("dwarf_hasattr")(die, name);
}
int dwarf_haschildren(Dwarf_Die* die) {
    return in_libdw<dwarf_haschildren>("dwarf_haschildren")(die);
}
int dwarf_lineaddr(Dwarf_Line* line, Dwarf_Addr* address) {
    return in_libdw<dwarf_lineaddr>("dwarf_lineaddr")(line, address);
}
int dwarf_linecol(Dwarf_Line* line, int* column) {
    return in_libdw<dwarf_linecol>("dwarf_linecol")(line, column);
}
int dwarf_linediscriminator(Dwarf_Line* line, unsigned int* discriminator) {
    return in_libdw<dwarf_linediscriminator>("dwarf_linediscriminator")(line, discriminator);
}
int dwarf_lineendsequence(Dwarf_Line* line, bool* flag) {
    return in_libdw<dwarf_lineendsequence>("dwarf_lineendsequence")(line, flag);
}
int dwarf_lineno(Dwarf_Line* line, int* number) {
    return in_libdw<dwarf_lineno>("dwarf_lineno")(line, number);
}
const char* dwarf_linesrc(Dwarf_Line* line, Dwarf_Word* time, Dwarf_Word* length) {
    return in_libdw<dwarf_linesrc>("dwarf_linesrc")(line, time, length);
}
Dwarf_OOM dwarf_new_oom_handler(Dwarf* dwarf, Dwarf_OOM handler) {
    return in_libdw<dwarf_new_oom_handler>("dwarf_new_oom_handler")(dwarf, handler);
}
Dwarf_Die* dwarf_offdie(Dwarf* dwarf, Dwarf_Off offset, Dwarf_Die* result) {
    return in_libdw<dwarf_offdie>("dwarf_offdie")(dwarf, offset, result);
}
Dwarf_Line* dwarf_onesrcline(Dwarf_Lines* lines, std::size_t index) {
    return in_libdw<dwarf_onesrcline>("dwarf_onesrcline")(lines, index);
}
std::ptrdiff_t dwarf_ranges(Dwarf_Die* die, std::ptrdiff_t offset, Dwarf_Addr* base, Dwarf_Addr* start,
                            Dwarf_Addr* end) {
    return in_libdw<dwarf_ranges>("dwarf_ranges")(die, offset, base, start, end);
}
void dwarf_setalt(Dwarf* dwarf, Dwarf* alternate) {
    in_libdw<dwarf_setalt>("dwarf_setalt")(dwarf, alternate);
}
int dwarf_tag(Dwarf_Die* die) {
    return in_libdw<dwarf_tag>("dwarf_tag")(die);
}
Dwfl* dwfl_begin(const Dwfl_Callbacks* callbacks) {
    return in_libdw<dwfl_begin>("dwfl_begin")(callbacks);
}
void dwfl_end(Dwfl* files) {
    in_libdw<dwfl_end>("dwfl_end")(files);
}
const char* dwfl_errmsg(int error) {
    return in_libdw<dwfl_errmsg>("dwfl_errmsg")(error);
}
Dwarf* dwfl_module_getdwarf(Dwfl_Module* module, Dwarf_Addr* bias) {
    return in_libdw<dwfl_module_getdwarf>("dwfl_module_getdwarf")(module, bias);
}
Elf* dwfl_module_getelf(Dwfl_Module* module, GElf_Addr* bias) {
    return in_libdw<dwfl_module_getelf>("dwfl_module_getelf")(module, bias);
}
int dwfl_offline_section_address(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                                 const char* section, GElf_Word index, const GElf_Shdr* header, Dwarf_Addr* address) {
    return in_libdw<dwfl_offline_section_address>("dwfl_offline_section_address")(module, data, name, base, section,
                                                                                  index, header, address);
}
int dwfl_report_end(Dwfl* files, int (*removed)(Dwfl_Module*, void*, const char*, Dwarf_Addr, void*), void* argument) {
    return in_libdw<dwfl_report_end>("dwfl_report_end")(files, removed, argument);
}
Dwfl_Module* dwfl_report_offline_memory(Dwfl* files, const char* name, const char* file, char* data, std::size_t size) {
    return in_libdw<dwfl_report_offline_memory>("dwfl_report_offline_memory")(files, name, file, data, size);
}

}  // extern "C"
