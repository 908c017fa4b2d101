// SPDX-License-Identifier: MIT
// Names of user-space code and of kernel modules, each file read once.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/symbol_miss.hpp"

namespace perfdata {

// FileIndex names a file within one ObjectSymbols.
struct FileIndex {
    std::uint32_t value = 0;
    constexpr auto operator<=>(const FileIndex&) const = default;
};

struct NameAndOffset {
    std::string_view name;  // demangled as perf does; lives as long as the ObjectSymbols
    std::uint64_t offset = 0;
    std::uint64_t size = 0;            // of the function
    std::uint64_t function_vaddr = 0;  // its address in the file's own terms, the same for every process
};

// ObjectSymbols loads a file when its first name is asked for. All members may be used from several threads at once;
// moving and destroying not.
class ObjectSymbols {
  public:
    struct Options {
        bool demangle = true;
    };

    explicit ObjectSymbols(ObjectFinder finder);
    ObjectSymbols(ObjectFinder finder, Options options);
    ~ObjectSymbols();
    ObjectSymbols(ObjectSymbols&&) noexcept;
    ObjectSymbols& operator=(ObjectSymbols&&) noexcept;

    // add(object) is the same index for the same object. It does not touch files.
    FileIndex add(const RecordedObject& object);
    const RecordedObject& recorded(FileIndex index) const;
    std::size_t size() const;

    // name(index, file_offset) is the function at an offset of the file: address - mapping begin + the mapping's page
    // offset, with page offset 0 for "[vdso]". For a kernel module (a relocatable file) the offset is from the start
    // of the module's text, which is what its mapping begins with.
    std::expected<NameAndOffset, SymbolMiss> name(FileIndex index, std::uint64_t file_offset) const;

    // distance(index, file_offset) is how far the offset is from the start of the function that name() would name. It
    // costs less.
    std::expected<std::uint64_t, SymbolMiss> distance(FileIndex index, std::uint64_t file_offset) const;

    // vaddr(index, file_offset) is the address in the file's own terms of the byte that name() would name.
    std::expected<std::uint64_t, SymbolMiss> vaddr(FileIndex index, std::uint64_t file_offset) const;

    // found(index) is the file that is used, or why there is none. The pointer lives as long as the object.
    std::expected<const FoundObject*, SymbolMiss> found(FileIndex index) const;

    // damage() is what could not be read of the symbols of files that are loaded, once for each file.
    std::vector<Error> damage() const;

    // with_function(name) is which of the files that are loaded have a function of that name, as name() gives it. It
    // looks at every symbol of theirs.
    std::vector<FileIndex> with_function(std::string_view name) const;

    // finder() is what finds them.
    const ObjectFinder& finder() const;

    // load_all(objects, jobs) loads them on that many threads.
    void load_all(std::span<const FileIndex> objects, unsigned jobs) const;

  private:
    struct Object;
    struct Table;

    Object& object(FileIndex index) const;
    void load(Object& object) const;

    std::unique_ptr<Table> table_;
};

}  // namespace perfdata
