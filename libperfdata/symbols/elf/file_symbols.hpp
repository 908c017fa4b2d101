// SPDX-License-Identifier: MIT
// The symbols of one file, which objects with different names of it share, and recordings with a SymbolCache.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/symbol_miss.hpp"

#include "file_store.hpp"
#include "recording/look_out.hpp"
#include "symbols/once.hpp"

namespace perfdata {

// FileSymbols are read of a file and of its separate debug file, or null.
struct FileSymbols final : FileContent {
    static constexpr auto content_kind = Kind::symbols;

    Once loaded;
    std::expected<ElfSymbols, SymbolMiss> symbols = std::unexpected(SymbolMiss::not_found);
    std::optional<Error> damage;  // why symbols may be missing

    // Demangled names by symbol, made on demand.
    std::mutex demangling;
    std::map<std::size_t, std::string> demangled;

    // Throws Stopped.
    void load(const ElfFile& file, const ElfFile* debug, const Limits& limits, const Watch& watch) {
        auto read = ElfSymbols::load(file, debug, limits, watch);
        if (!read && read.error().code == ErrorCode::cancelled) throw Stopped();
        if (read) {
            damage = read->damage();
            bytes_ = read->memory();
            symbols = std::move(*read);
        } else {
            const bool none = read.error().code == ErrorCode::missing;
            if (!none) damage = std::move(read.error());
            symbols = std::unexpected(none ? SymbolMiss::no_symbols : SymbolMiss::unreadable);
        }
        if (damage && damage->code == ErrorCode::io) intact_ = false;
    }
    // Counts a demangled name.
    void note_name(const std::string& name) {
        constexpr std::uint64_t node = 96;
        bytes_ += node + name.capacity();
    }

    std::uint64_t memory() const override { return bytes_; }
    bool intact() const override { return intact_; }

  private:
    std::atomic<std::uint64_t> bytes_ = 0;
    std::atomic<bool> intact_ = true;
};

}  // namespace perfdata
