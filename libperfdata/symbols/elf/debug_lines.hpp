// SPDX-License-Identifier: MIT
// Reads and keeps the debug information of files with code, on demand.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/source_line.hpp"

#include "file_store.hpp"
#include "mapped_files.hpp"
#include "recording/look_out.hpp"
#include "symbols/elf/dwarf/dwarf_lines.hpp"
#include "symbols/once.hpp"

namespace perfdata {

// OpenedLines is the debug information of one file, which may have any number of names: read of relocatable code (else
// null), the debug file, and the alternate.
struct OpenedLines final : FileContent {
    static constexpr auto content_kind = Kind::lines;

    Once once;
    Result<std::shared_ptr<DwarfLines>> lines = nullptr;  // its error has no name

    std::uint64_t memory() const override { return once.done() && lines && *lines ? (*lines)->memory() : 0; }
    bool intact() const override {
        if (!once.done()) return true;
        return lines ? !*lines || (*lines)->intact() : lines.error().code != ErrorCode::io;
    }
};

// LinesPlace is where the debug information of one file is.
struct LinesPlace {
    DwarfFiles files{};
    FileName name{};  // of the debug file

    // Returns the file that reading shares with that of other files: what was read, and how much may yet be. Any number
    // of files may have one debug file, and any number of these an alternate. Null: there is no debug information.
    const ElfFile* shared() const { return files.alternate ? files.alternate.get() : files.debug.get(); }
};

// CodeFile is a file with code and its lines; null if it has none, or was not found.
struct CodeFile {
    Once located;
    LinesPlace place;
    Once once;
    Result<std::shared_ptr<DwarfLines>> lines = nullptr;
    std::shared_ptr<const ElfFile> file;
    std::string path;
    // Without lines: why the debug file that the file names is not used.
    std::optional<Error> no_debug{};
    bool stale_debug = false;  // it is here, but of another build

    // Returns what is missing from `lines`: names of inlined calls in a file that was not found, lines without address;
    // all of them, if the debug file is.
    std::optional<Error> problem(std::span<const LineStart> given) const;
};

// DebugLines may be used from several threads. The files must outlive it. Its lines have no SourceLine::text.
class DebugLines {
  public:
    explicit DebugLines(const MappedFiles& files) : files_(files) {}

    // Returns the lines of a function in a mapped file. Errors: malformed, unsupported, io, limit.
    Result<std::vector<LineStart>> in_file(const Frame& function, std::uint64_t size);
    // Returns the lines of code in a mapped file as compilers count them. Errors: the same.
    Result<std::vector<CompiledLine>> compiled_in_file(const Frame& function, std::uint64_t size);
    // Returns the functions inlined at a byte of a mapped file.
    InlinedFunctions inlined_in_file(const Frame& frame);
    // Returns the file of a mapped object with its lines, once they were asked for; null if it has none.
    const CodeFile* known(ObjectIndex object);

    // Returns the debug file and the alternate of a mapped file that were found so far; null: none.
    std::array<std::shared_ptr<const ElfFile>, 2> files_found(ObjectIndex index);

    // Opens the debug information of a mapped file; with `lines` also what only its lines need. The others then do not
    // take long. Throws Stopped.
    void load(ObjectIndex object, bool lines, LookOut& look);

    // Returns LinesPlace::shared() of a mapped file. Reads no debug information. Throws Stopped.
    const void* shared(ObjectIndex object, LookOut& look) { return located(files_.index(object), look).place.shared(); }

    // Finds the debug information of a file, in it or in a separate file. Throws Stopped.
    LinesPlace locate(const RecordedObject& recorded, const FoundObject& found, const LookOut& look) const;
    // Opens it; null if there is none. Throws Stopped.
    Result<std::shared_ptr<DwarfLines>> open(const LinesPlace& place, LookOut& look);
    // Returns the lines of the code at vaddr of an opened file.
    static Result<std::vector<LineStart>> in_object(const CodeFile& object, std::uint64_t vaddr, std::uint64_t size);
    // Returns the functions inlined at vaddr of an opened file.
    static InlinedFunctions inlined_in_object(const CodeFile& object, std::uint64_t vaddr);

  private:
    // Returns null if too many files share the debug information.
    std::shared_ptr<OpenedLines> opened_from(const DwarfFiles& files);
    CodeFile& object(FileIndex index);
    // Returns the file of a mapped object, with the place of its debug information.
    CodeFile& located(FileIndex index, const LookOut& look);
    // Returns the file of a mapped object, opened.
    const CodeFile& opened(FileIndex index) {
        LookOut nobody;
        return opened(index, nobody);
    }
    const CodeFile& opened(FileIndex index, LookOut& look);
    // Returns the virtual address of a byte of an opened file.
    static std::optional<std::uint64_t> vaddr_of(const CodeFile& object, std::uint64_t offset);

    const MappedFiles& files_;
    std::mutex mutex_;
    std::map<std::uint32_t, std::unique_ptr<CodeFile>> objects_;  // by FileIndex; a tree: O(log n)
    // By the files that they are read from: relocatable code, debug file, alternate. They keep these open.
    std::map<std::array<std::shared_ptr<const ElfFile>, 3>, std::shared_ptr<OpenedLines>> opened_;
    std::map<const ElfFile*, std::size_t> relocatable_;  // how many relocatable files have a debug file
};

}  // namespace perfdata
