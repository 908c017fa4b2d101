// SPDX-License-Identifier: MIT
// Opens the unwind information of mapped files, on demand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "symbols/elf/file_store.hpp"
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
    // Returns the debug file of a mapped object that was read for that so far; null: none.
    std::shared_ptr<const ElfFile> debug_read(ObjectIndex object);

  private:
    // Read of a file, and of a separate debug file or null.
    struct Content final : FileContent {
        static constexpr auto content_kind = Kind::unwinding;

        Once once;
        std::unique_ptr<const FileCfi> cfi;  // null: there is no unwind information

        std::uint64_t memory() const override { return once.done() && cfi ? cfi->memory() : 0; }
        bool intact() const override {
            return !once.done() || !cfi || !cfi->damage() || cfi->damage()->code != ErrorCode::io;
        }
    };
    struct Opened {
        Once once;
        std::shared_ptr<const Content> content;
        std::shared_ptr<const ElfFile> debug;
    };
    const FileCfi* opened(FileIndex index, const FoundObject& found);

    const MappedFiles& files_;
    const Limits& limits_;
    std::mutex mutex_;
    // By FileIndex: names that lead to one file may lead to other debug files. What they share is the store's.
    std::map<std::uint32_t, std::unique_ptr<Opened>> opened_;
};

}  // namespace perfdata
