// SPDX-License-Identifier: MIT
#include "dwarf_opened.hpp"

#include <new>
#include <utility>

#include "dwarf_headroom.hpp"
#include "dwarf_ranges.hpp"

namespace perfdata {
namespace {

// GNU's attribute is a part of the type that libdw asks for; [[noreturn]] is not.
__attribute__((__noreturn__)) void without_memory() {
    throw std::bad_alloc();
}

}  // namespace

Result<DwarfOpened> DwarfOpened::open(Result<DebugImage> image) {
    if (!image) return fail(image.error());
    DwarfOpened opened{std::move(*image), nullptr, nullptr};
    const auto bytes = opened.image.bytes();
    dwarf_headroom();
    opened.elf.reset(elf_memory(bytes.data(), bytes.size()));
    if (!opened.elf) {
        return fail(ErrorCode::malformed, Error::no_offset, "ELF", elf_errmsg(-1));
    }
    opened.dwarf.reset(dwarf_begin_elf(opened.elf.get(), DWARF_C_READ, nullptr));
    if (!opened.dwarf) return dwarf_failure("debug information");
    dwarf_throws(opened.dwarf.get());
    return opened;
}

void dwarf_throws(Dwarf* dwarf) {
    dwarf_new_oom_handler(dwarf, without_memory);
}

}  // namespace perfdata
