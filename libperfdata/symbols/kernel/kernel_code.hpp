// SPDX-License-Identifier: MIT
// Files with the code of the recorded kernel: copies of its memory, its ELF file, and those of its modules.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/code_place.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/timeline/frame.hpp"

#include "symbols/elf/elf_relocations.hpp"
#include "symbols/elf/mapped_files.hpp"
#include "symbols/once.hpp"
#include "symbols/patched_code.hpp"

namespace perfdata {

// KernelCode opens each file on first use. Const use from many threads is safe.
class KernelCode {
  public:
    // `recorded`, `names` (null: none) and `files` must outlive it. `kcore` is the user's file: its errors go to
    // `problems`. `watch` is asked while that file is unpacked.
    KernelCode(const Recording& recording, const RecordedKernel& recorded, const KernelNames* names,
               const MappedFiles& files, const std::string& kcore, std::vector<Error>& problems, const Watch& watch);

    // Opens what read() opens, which then does not take long. Throws Stopped.
    void load(const LookOut& look) const;

    // Fills `code`, and sets the origin and the problems of the image. Errors: missing (what would supply it),
    // mismatch, io, malformed.
    Result<void> read(const Frame& function, Address address, PatchedCode& code, CodeImage& image) const;

    // Reads copies of memory only. Returns false if there is none, or if it does not have the code.
    Result<bool> read_kcore(Address address, PatchedCode& code, CodeImage& image) const;

    // Return where read() and read_kcore() find the first byte of code of that size; nothing if they find none.
    std::optional<CodePlace> place(const Frame& function, Address address, std::uint64_t size) const;
    std::optional<CodePlace> kcore_place(Address address, std::uint64_t size) const;

    // Returns what is missing from the copy of memory that was read.
    std::optional<Error> damage() const;

  private:
    struct Kcore {
        std::string path;
        std::shared_ptr<const ElfFile> file;
        std::optional<Error> damage{};
    };

    // `given`: the name is the user's or our own, not one from the recording.
    Result<Kcore> open_kcore(const FileName& name, bool given, const Watch& watch) const;
    const std::optional<Kcore>& kcore(const LookOut& look = {}) const;
    const Result<KernelText>& vmlinux(const LookOut& look = {}) const;
    bool is_module(const Frame& function) const;
    Result<void> read_vmlinux(Address address, PatchedCode& code, CodeImage& image) const;
    Result<void> read_module(const Frame& function, PatchedCode& code, CodeImage& image) const;
    const CodeRelocations& relocations(const std::shared_ptr<const ElfFile>& module) const;

    const RecordedKernel& recorded_;
    const KernelNames* names_;
    const MappedFiles& files_;
    Limits limits_;
    std::vector<FileName> candidates_;  // copies of memory that may exist
    bool running_ = false;              // the recorded boot is that of this machine
    mutable Once kcore_once_, vmlinux_once_;
    mutable std::optional<Kcore> kcore_;
    mutable std::mutex relocations_mutex_;
    // By module. Each keeps its file alive.
    mutable std::map<const ElfFile*, std::unique_ptr<CodeRelocations>> relocations_;
    mutable Result<KernelText> vmlinux_ = fail(ErrorCode::missing, Error::no_offset, {}, {});
};

}  // namespace perfdata
