// SPDX-License-Identifier: MIT
// Opens debug information with libdw. Needs libdw.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>
#include <memory>

#include "perfdata/core/error.hpp"

#include "debug_image.hpp"

namespace perfdata {

template <auto end>
struct DwarfEnds {
    template <class T>
    void operator()(T* handle) const {
        end(handle);
    }
};

// DwarfOpened is a file opened by libdw.
struct DwarfOpened {
    DebugImage image;
    std::unique_ptr<Elf, DwarfEnds<elf_end>> elf;
    std::unique_ptr<Dwarf, DwarfEnds<dwarf_end>> dwarf;

    // Errors: that of the image; malformed.
    static Result<DwarfOpened> open(Result<DebugImage> image);
};

// Lets libdw throw std::bad_alloc where memory runs out. Its own handler ends the process.
void dwarf_throws(Dwarf* dwarf);

}  // namespace perfdata
