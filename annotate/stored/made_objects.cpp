// SPDX-License-Identifier: MIT
#include "made_objects.hpp"

#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

namespace perfdata {

stored::Ref<stored::Object> MadeObjects::of(ObjectIndex index) {
    const auto [entry, is_new] = rows_.try_emplace(index);
    if (is_new) entry->second = append_row(making_.model.objects, described(index));
    return entry->second;
}

std::uint64_t MadeObjects::offset_in(ObjectIndex index, std::uint64_t offset) const {
    return offset - base_of(index);
}

std::uint64_t MadeObjects::base_of(ObjectIndex index) const {
    const auto& timeline = making_.symbolizer.timeline();
    if (timeline.tasks().objects()[index].kind != ObjectKind::kernel || !timeline.kernel()) return 0;
    return timeline.kernel()->range.begin.value;
}

stored::Object MadeObjects::described(ObjectIndex index) {
    const auto& symbolizer = making_.symbolizer;
    const auto& object = symbolizer.timeline().tasks().objects()[index];
    stored::Object row;
    row.kind = object.kind;
    row.path = making_.text(object.path);
    row.build_id = copied(symbolizer.recorded_object(index).build_id.bytes());
    if (row.build_id.empty() && object.kind == ObjectKind::kernel) {
        row.build_id = copied(symbolizer.recorded_kernel().build_id.bytes());
    }
    if (object.inode) {
        row.major = object.inode->major;
        row.minor = object.inode->minor;
        row.inode = object.inode->number;
        row.generation = object.inode->generation;
    }
    row.base = base_of(index);
    add_file(row.file, index);
    return row;
}

void MadeObjects::add_file(stored::ObjectFile& file, ObjectIndex index) {
    const auto found = making_.symbolizer.file(index);
    if (!found) {
        file.missing = true;
        file.miss = found.error();
        return;
    }
    if (making_.options.used) making_.options.used(index);
    file.path = making_.text(making_.shown((*found)->path));
    const auto& elf = *(*found)->file;
    if (elf.type() == ElfFile::Type::relocatable) {
        file.segments.push_back({0, ~std::uint64_t{0}, 0});  // its addresses are its offsets
    } else {
        for (const auto& segment : elf.segments()) {
            file.segments.push_back({segment.offset, segment.file_size, segment.vaddr});
        }
    }
    if (const auto debug = making_.symbolizer.missing_debug(index)) {
        file.debug_name = making_.text(debug->name);
        file.debug_miss = debug->why;
    }
}

}  // namespace perfdata
