// SPDX-License-Identifier: MIT
// The files behind mapped objects: which they are, what they are called, and the functions in them.
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

// MappedFiles opens a file when it is first asked for. Const use from many threads is safe.
class MappedFiles {
  public:
    // The timeline must outlive it. `demangle`: see SymbolizerOptions.
    MappedFiles(const Timeline& timeline, const ObjectFinder& finder, bool demangle);

    const Timeline& timeline() const { return timeline_; }
    const ObjectFinder& finder() const { return symbols_.finder(); }
    const ObjectSymbols& symbols() const { return symbols_; }
    bool demangles() const { return demangles_; }
    FileIndex index(ObjectIndex object) const { return file_of_[object]; }
    // Returns true if the recording has a build id of any file that ran.
    bool has_build_ids() const { return has_build_ids_; }

    // Returns the object as perf shows it: a path, [kernel.kallsyms], [nf_nat].
    std::string_view object_name(ObjectIndex object) const { return object_names_[object]; }
    // Returns what to add to an offset in a module to have its address.
    std::uint64_t base(ObjectIndex object) const { return base_[object]; }

    // Returns the file that stands behind a mapped object. It lives as long as this.
    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const {
        return symbols_.found(file_of_[object]);
    }
    // Returns the same without a reason; null if there is none.
    const ElfFile* read(ObjectIndex object) const {
        const auto found = file(object);
        return found ? (*found)->file.get() : nullptr;
    }
    // Returns the address that the file gives a byte of the object, for ElfFile::read().
    std::expected<std::uint64_t, SymbolMiss> vaddr(const Frame& frame) const {
        return symbols_.vaddr(file_of_[frame.index], frame.offset);
    }

    // Fills in symbol and offset of the name, or its miss; and the extent.
    void find(const Frame& frame, FrameName& name, FunctionExtent& extent) const;

    // Loads, several at a time, the files that the recording has build ids of: perf notes those of files that samples
    // fell into. Others are loaded when a name of theirs is asked for.
    void prepare(unsigned jobs) const;

  private:
    const Timeline& timeline_;
    bool demangles_;
    ObjectSymbols symbols_;
    std::vector<FileIndex> file_of_;  // these are by ObjectIndex
    std::vector<std::string> object_names_;
    std::vector<std::uint64_t> base_;
    bool has_build_ids_ = false;
};

}  // namespace perfdata
