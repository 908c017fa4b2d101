// SPDX-License-Identifier: MIT
// The files behind mapped objects, their names, and the functions in them.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/frame_name.hpp"
#include "perfdata/timeline/function_index.hpp"

namespace perfdata {

// MappedFiles opens a file on first use. Const use from many threads is safe.
class MappedFiles {
  public:
    // `timeline` must outlive it. `demangle`: see SymbolizerOptions.
    MappedFiles(const Timeline& timeline, const ObjectFinder& finder, bool demangle);

    const Timeline& timeline() const { return timeline_; }
    const ObjectFinder& finder() const { return symbols_.finder(); }
    const ObjectSymbols& symbols() const { return symbols_; }
    bool demangles() const { return demangles_; }
    FileIndex index(ObjectIndex object) const { return file_of_[object]; }
    // Returns true if the recording has a build-id for any file that ran.
    bool has_build_ids() const { return has_build_ids_; }

    // Returns the name of the object as perf shows it: a path, [kernel.kallsyms], [nf_nat].
    std::string_view object_name(ObjectIndex object) const { return object_names_[object]; }
    // Returns the address of offset 0 of the object: in a module, address = base + offset. 0 if no mapping has one.
    std::uint64_t base(ObjectIndex object) const { return base_[object]; }

    // Returns the file behind a mapped object, or why there is none. The pointer is valid as long as this.
    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const {
        return symbols_.found(file_of_[object]);
    }
    // Returns the file as file() does, or null.
    const ElfFile* read(ObjectIndex object) const {
        const auto found = file(object);
        return found ? (*found)->file.get() : nullptr;
    }
    // Returns the virtual address of a byte of the object in the file's own terms, for ElfFile::read().
    std::expected<std::uint64_t, SymbolMiss> vaddr(const Frame& frame) const {
        return symbols_.vaddr(file_of_[frame.index], frame.offset);
    }

    // Fills in symbol and offset of `name` and the place and size in `extent`; if no name is found, only the miss of
    // `name`.
    void find(const Frame& frame, FrameName& name, FunctionExtent& extent) const;

    // Loads the files that have a recorded build-id, on up to `jobs` threads. perf records build-ids of files that
    // samples fell into. Other files are loaded when one of their names is first asked for.
    void prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const;

  private:
    const Timeline& timeline_;
    bool demangles_;
    ObjectSymbols symbols_;
    std::vector<FileIndex> file_of_;  // by ObjectIndex, like the next two
    std::vector<std::string> object_names_;
    std::vector<std::uint64_t> base_;
    bool has_build_ids_ = false;
};

}  // namespace perfdata
