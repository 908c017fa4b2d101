// SPDX-License-Identifier: MIT
#include "dwarf_alternate.hpp"

#include <utility>

#include "dwarf_lines.hpp"

namespace perfdata {

DwarfAlternate::DwarfAlternate(DwarfOpened image, DwarfOpened nothing)
    : nothing_(std::move(nothing)), opened_(std::move(image)), sections(file(), {}, 0), entries(sections) {
    dwarf_setalt(dwarf(), nothing_.dwarf.get());
}

Result<std::shared_ptr<DwarfAlternate>> DwarfAlternates::open(const std::shared_ptr<const ElfFile>& file,
                                                              const Limits& limits, LookOut& look) {
    std::shared_ptr<One> one;
    {
        const std::scoped_lock lock(mutex_);
        auto& known = all_[file];
        if (!known) known = std::make_shared<One>();
        one = known;
    }
    const auto read = [&] {
        auto nothing = DwarfOpened::open(DebugImage::nothing());
        auto image = nothing ? DwarfOpened::open(DebugImage::read(file, limits, look)) : fail(nothing.error());
        if (!image) {
            one->opened = fail(image.error());
            return;
        }
        image->image.unpack(".debug_info", look);
        auto opened = std::make_shared<DwarfAlternate>(std::move(*image), std::move(*nothing));
        if (auto right = opened->entries.check_units(look); !right) {
            one->opened = fail(right.error());
        } else if (auto failed = opened->sections.failure()) {
            one->opened = fail(std::move(*failed));
        } else {
            one->opened = std::move(opened);
        }
    };
    one->once(read, look);
    return one->opened;
}

}  // namespace perfdata
