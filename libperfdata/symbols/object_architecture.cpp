// SPDX-License-Identifier: MIT
#include "perfdata/symbols/object_architecture.hpp"

#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

namespace perfdata {

Architecture find_architecture(const Recording& recording, const Symbolizer& names, const Watch& watch) {
    // A profile has what was found when it was made.
    if (auto told = find_architecture(recording, watch); !told.name.empty() || recording.is_profile()) return told;
    const auto told_by = [](const ElfFile& file, const std::string& path) {
        auto name = elf_architecture(file.machine(), file.order().endian());
        // A 32-bit program may run on a 64-bit kernel, whose registers the samples have.
        if (!file.wide()) name = {};
        return Architecture{std::string(name), "the file " + path};
    };
    if (const auto kernel = names.kernel_text(watch); kernel && kernel->file) {
        if (auto told = told_by(*kernel->file, kernel->path); !told.name.empty()) return told;
    }
    const auto& objects = names.timeline().tasks().objects();
    for (ObjectIndex index = 0; index < objects.size(); ++index) {
        if (!names.load({0, index, FrameKind::object, CpuMode::user}, CodeDetail::names, watch)) return {};
        const auto file = names.file(index);
        if (!file || (*file)->file == nullptr) continue;
        if (auto told = told_by(*(*file)->file, (*file)->path); !told.name.empty()) return told;
    }
    return {};
}

}  // namespace perfdata
