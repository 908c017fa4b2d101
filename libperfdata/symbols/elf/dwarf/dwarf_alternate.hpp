// SPDX-License-Identifier: MIT
// The file to which dwz moved what several files share. Needs libdw.
#pragma once

#include "dwarf_entries.hpp"
#include "dwarf_opened.hpp"
#include "dwarf_sections.hpp"
#include "recording/owned_mutex.hpp"

namespace perfdata {

// DwarfAlternate is opened once for all files that refer to it: any number of small files may refer to a large one.
// Units and texts of it are read on demand, for which reason only who holds the mutex may ask for an entry of these
// files.
struct DwarfAlternate {
    // `image` is its debug information; `nothing` stands for an alternate of its own, which libdw would look for.
    DwarfAlternate(DwarfOpened image, DwarfOpened nothing);

    OwnedMutex mutex;

  private:
    DwarfOpened nothing_, opened_;  // before what reads them

  public:
    DwarfSections sections;
    DwarfEntries entries;

    Dwarf* dwarf() const { return opened_.dwarf.get(); }
    DwarfSections::File file() { return {dwarf(), &opened_.image}; }
};

}  // namespace perfdata
