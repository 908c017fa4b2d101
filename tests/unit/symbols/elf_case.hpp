// SPDX-License-Identifier: MIT
// ELF files in memory for tests of names.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/wire/record/mmap2.hpp"

#include "support/elf.hpp"

namespace perfdata::test {

// OwnedSource owns the bytes that it reads.
class OwnedSource final : public Source {
  public:
    explicit OwnedSource(Blob blob) : blob_(std::move(blob)), view_(memory_source(blob_)) {}
    std::uint64_t size() const override { return view_->size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        return view_->read_at(offset, out);
    }

  private:
    Blob blob_;
    std::shared_ptr<const Source> view_;
};

inline Result<ElfFile> open_elf(Blob blob) {
    return ElfFile::open(std::make_shared<OwnedSource>(std::move(blob)));
}

// Files is a machine with only these files: neither /proc nor /sys.
class Files : public FileSystem {
  public:
    std::map<std::string, Blob> content;
    std::set<std::string> locked;  // refused by the system

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits&,
                                               Content = Content::any) const override {
        const auto path = name.shown();
        if (locked.contains(path)) return fail(ErrorCode::io, Error::no_offset, path, "too many open files");
        const auto found = content.find(path);
        if (found == content.end()) return fail(ErrorCode::missing, Error::no_offset, path, "not there");
        return std::make_shared<OwnedSource>(found->second);
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t) const override {
        const auto found = content.find(path);
        if (found == content.end()) return fail(ErrorCode::missing, Error::no_offset, path, "not there");
        return std::string(as_text(found->second));
    }
};

// id(seed) returns a build id of 20 bytes, id(seed, size) a shorter one.
inline BuildId id(std::uint8_t seed, std::uint8_t size = 20) {
    BuildId result;
    result.size = size;
    for (std::uint8_t at = 0; at < size; ++at) {
        result.value.at(at) = static_cast<std::byte>(static_cast<std::uint8_t>(seed + at));
    }
    return result;
}

// load(elf) returns its symbols.
inline ElfSymbols load(const Elf& elf) {
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    auto symbols = ElfSymbols::load(*file);
    REQUIRE(symbols);
    return std::move(*symbols);
}

// at(symbols, vaddr) returns "name+offset", or "none".
inline std::string at(const ElfSymbols& symbols, std::uint64_t vaddr) {
    const auto found = symbols.find(vaddr);
    return found ? std::string(found->symbol.name) + "+" + std::to_string(found->offset) : "none";
}

}  // namespace perfdata::test
