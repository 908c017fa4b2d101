// SPDX-License-Identifier: MIT
#include "mapped_files.hpp"

#include <set>

namespace perfdata {

MappedFiles::MappedFiles(const Timeline& timeline, const ObjectFinder& finder, bool demangle)
    : timeline_(timeline),
      demangles_(demangle),
      symbols_(finder, {.demangle = demangle}),
      base_(timeline.tasks().objects().size()) {
    const auto& tasks = timeline.tasks();
    for (const auto& mapping : tasks.mappings()) {
        auto& base = base_[mapping.object];
        if (base == 0) base = mapping.range.begin.value - mapping.file_offset;
    }
    for (const auto& object : tasks.objects()) {
        const std::string path(without_deleted(object.path));
        RecordedObject recorded{path, object.build_id.value_or(BuildId{}), object.inode};
        if (const auto id = timeline.build_ids().find(object.path);
            id != timeline.build_ids().end() && recorded.build_id.size == 0) {
            recorded.build_id = id->second;
        }
        file_of_.push_back(symbols_.add(recorded));
        has_build_ids_ = has_build_ids_ || (object.kind == ObjectKind::file && recorded.build_id.size != 0);
        object_names_.push_back(object_of(object));
    }
}

void MappedFiles::find(const Frame& frame, FrameName& name, FunctionExtent& extent) const {
    const auto found = symbols_.name(file_of_[frame.index], frame.offset);
    if (!found) {
        name.miss = found.error();
        return;
    }
    name.symbol = found->name;
    name.offset = found->offset;
    extent.begin.offset = frame.offset - found->offset;
    extent.size = found->size;
}

void MappedFiles::prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const {
    std::set<FileIndex> wanted;
    const auto objects = timeline_.tasks().objects();
    for (std::size_t object = 0; object < objects.size(); ++object) {
        const auto kind = objects[object].kind;
        if (kind != ObjectKind::file && kind != ObjectKind::vdso) continue;
        if (timeline_.build_ids().contains(objects[object].path)) wanted.insert(file_of_[object]);
    }
    const std::vector<FileIndex> files(wanted.begin(), wanted.end());
    symbols_.load_all(files, jobs, stop, progress);
}

}  // namespace perfdata
