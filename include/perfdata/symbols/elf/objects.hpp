// SPDX-License-Identifier: MIT
// Names of user-space code and of kernel modules. Each file is read once.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/symbol_miss.hpp"

namespace perfdata {

class ElfSymbols;
class LookOut;

// FileIndex identifies a file within one ObjectSymbols.
struct FileIndex {
    std::uint32_t value = 0;  // in the order of add()
    constexpr auto operator<=>(const FileIndex&) const = default;
};

// NameAndOffset is a place in a function of a file.
struct NameAndOffset {
    std::string_view name;             // demangled like perf's; lives as long as the ObjectSymbols
    std::uint64_t offset = 0;          // bytes from the start of the function
    std::uint64_t size = 0;            // of the function
    std::uint64_t function_vaddr = 0;  // virtual address in the file, equal in all processes
};

// ObjectSymbols loads a file when the first name in it is needed. All members may be called from several threads at
// once, except moving and destroying.
class PERFDATA_EXPORT ObjectSymbols {
  public:
    // Options is what names look like.
    struct Options {
        bool demangle = true;  // else as in the file
    };

    // Takes the default options.
    explicit ObjectSymbols(ObjectFinder finder);
    // Takes the options given.
    ObjectSymbols(ObjectFinder finder, Options options);

    ~ObjectSymbols();
    ObjectSymbols(ObjectSymbols&&) noexcept;
    ObjectSymbols& operator=(ObjectSymbols&&) noexcept;

    // Returns the index of an object, the same one for equal objects. Opens no files.
    FileIndex add(const RecordedObject& object);
    const RecordedObject& recorded(FileIndex index) const;
    std::size_t size() const;

    // Returns the function at a file offset: address - mapping begin + the mapping's page offset, with page offset 0
    // for "[vdso]". In a kernel module (a relocatable file) the offset counts from the start of the module's text,
    // where its mapping begins.
    std::expected<NameAndOffset, SymbolMiss> name(FileIndex index, std::uint64_t file_offset) const;

    // Returns NameAndOffset::offset of name(), for less time.
    std::expected<std::uint64_t, SymbolMiss> distance(FileIndex index, std::uint64_t file_offset) const;

    // Returns the virtual address of the byte that name() names.
    std::expected<std::uint64_t, SymbolMiss> vaddr(FileIndex index, std::uint64_t file_offset) const;

    // Returns the file in use, or why there is none. The pointer lives as long as the ObjectSymbols.
    std::expected<const FoundObject*, SymbolMiss> found(FileIndex index) const;
    // The library's own: it may throw Stopped while the file is read.
    std::expected<const FoundObject*, SymbolMiss> found(FileIndex index, const LookOut& look) const;

    // Returns what could not be read from the symbols of loaded files, one error per file.
    std::vector<Error> damage() const;

    // Returns the loaded files that have a function of this name, as name() returns it. Takes time linear in their
    // symbols. Once `stop` says so, it returns those that it has.
    std::vector<FileIndex> with_function(std::string_view name, const StopToken& stop = {}) const;

    // Returns for each file false if it is loaded and has no function of any of these names, as name() returns it.
    // Takes time linear in the symbols of all: those of copies are searched once.
    std::vector<bool> may_have_function(std::span<const FileIndex> files, std::span<const std::string> names) const;

    const ObjectFinder& finder() const;  // as passed to the constructor

    // Loads the files on `jobs` threads, those that are left when `stop` says so not, nor those that are half loaded
    // then. progress(files, all) is called on these threads, one at a time, for a large file more than once.
    void load_all(std::span<const FileIndex> objects, unsigned jobs, const StopToken& stop = {},
                  const Progress& progress = {}) const;

  private:
    struct Object;
    struct Table;

    bool has_function(const ElfSymbols& symbols, std::string_view name, LookOut& look) const;
    void find_function(std::string_view name, std::vector<FileIndex>& found, LookOut& look) const;
    Object& object(FileIndex index) const;
    void seek(Object& object, const LookOut& look) const;
    void load(Object& object) const;
    void load(Object& object, const LookOut& look) const;

    std::unique_ptr<Table> table_;
};

}  // namespace perfdata
