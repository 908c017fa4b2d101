// SPDX-License-Identifier: MIT
// Opens the unwind information of mapped files, on demand.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "symbols/elf/mapped_files.hpp"
#include "symbols/once.hpp"
#include "symbols/unwind/file_cfi.hpp"
#include "symbols/unwind/unwind_place.hpp"

namespace perfdata {

// MappedCfi may be used from several threads. The files must outlive it.
class MappedCfi {
  public:
    MappedCfi(const MappedFiles& files, const Limits& limits) : files_(files), limits_(limits) {}

    // Returns the unwind information of a frame in a mapped object.
    UnwindPlace place(const Frame& frame);

  private:
    struct Opened {
        Once once;
        std::unique_ptr<const FileCfi> cfi;  // null: there is no unwind information
    };
    const FileCfi* opened(const RecordedObject& recorded, const FoundObject& found);

    const MappedFiles& files_;
    const Limits& limits_;
    std::mutex mutex_;
    // By the file: it may have any number of names. The files stay open as long as `files_`.
    std::map<const ElfFile*, std::unique_ptr<Opened>> opened_;
};

}  // namespace perfdata
