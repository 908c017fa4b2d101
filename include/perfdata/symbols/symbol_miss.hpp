// SPDX-License-Identifier: MIT
// Why code has no name.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfdata {

// SymbolMiss is why a frame has no symbol.
enum class SymbolMiss : std::uint8_t {
    not_a_file,        // anonymous memory, heap or stack: no file
    not_found,         // no file with this name or build-id
    no_build_id,       // no file with this name, and no build-id recorded to search by
    build_id_differs,  // files with this name exist, but not the recorded one
    unproven,          // a local file has this name, but no recorded build-id proves it
    offline,           // only a local file could match, and those were forbidden
    unreadable,        // the file exists, but is not an intact ELF file
    only_debug_file,   // only a debug file was found; the offsets of its symbols need the file itself
    no_symbols,        // the recorded file, but stripped
    outside_file,      // no loaded segment of the file has that offset
    between_symbols,   // the file has symbols, but none covers the address
    not_opened,        // the file exists, but the system refuses to open it
    other_machine,     // no build-id proves the file, and its code cannot run on the recorded machine
    untrusted,         // no build-id proves the file, and it may not be handed on: see fit_to_hand_on()
    busy,              // a callback asks for it, and the call around it is reading the file
};
inline constexpr unsigned symbol_misses = 15;  // number of reasons

// Returns a word for JSON.
constexpr std::string_view to_string(SymbolMiss miss) {
    switch (miss) {
        case SymbolMiss::not_a_file: return "not_a_file";
        case SymbolMiss::not_found: return "not_found";
        case SymbolMiss::no_build_id: return "no_build_id";
        case SymbolMiss::build_id_differs: return "build_id_differs";
        case SymbolMiss::unproven: return "unproven";
        case SymbolMiss::offline: return "offline";
        case SymbolMiss::unreadable: return "unreadable";
        case SymbolMiss::only_debug_file: return "only_debug_file";
        case SymbolMiss::no_symbols: return "no_symbols";
        case SymbolMiss::outside_file: return "outside_file";
        case SymbolMiss::between_symbols: return "between_symbols";
        case SymbolMiss::not_opened: return "not_opened";
        case SymbolMiss::other_machine: return "other_machine";
        case SymbolMiss::untrusted: return "untrusted";
        case SymbolMiss::busy: return "busy";
    }
    return "unknown";
}

// Returns a clause for users.
constexpr std::string_view explain(SymbolMiss miss) {
    switch (miss) {
        case SymbolMiss::not_a_file: return "no file stands behind this memory";
        case SymbolMiss::not_found: return "its file was not found";
        case SymbolMiss::no_build_id:
            return "its file was not found, and the recording has no build id to look for it by";
        case SymbolMiss::build_id_differs: return "the file found has another build id than the recorded one";
        case SymbolMiss::unproven:
            return "the recording has no build id that would prove the local file to be the same";
        case SymbolMiss::offline: return "local files were not looked at (--offline)";
        case SymbolMiss::unreadable: return "its file is damaged or no ELF file";
        case SymbolMiss::only_debug_file:
            return "only its debug file was found, which does not say where code lies in it";
        case SymbolMiss::no_symbols: return "its file has no symbols";
        case SymbolMiss::outside_file: return "its file has no code at that offset";
        case SymbolMiss::between_symbols: return "none of its symbols covers the address";
        case SymbolMiss::not_opened: return "the system does not let its file be opened";
        case SymbolMiss::other_machine: return "the file found has code of another architecture than the recording";
        case SymbolMiss::untrusted:
            return "not everybody may read the local file, and nothing says that it is the one that was mapped, or "
                   "another user may have put it there";
        case SymbolMiss::busy: return "its file is being read by the call around the callback that asks";
    }
    return "unknown";
}

// Returns what would supply the name; empty if nothing would.
constexpr std::string_view remedy(SymbolMiss miss) {
    switch (miss) {
        case SymbolMiss::not_found:
        case SymbolMiss::build_id_differs:
        case SymbolMiss::only_debug_file:
            return "run `perf archive` on the recording machine and give what it packs with --buildid-dir, or a copy "
                   "of "
                   "the machine's files with --symfs";
        case SymbolMiss::unproven:
            return "add --allow-local if this machine made the recording, or give the recording machine's files with "
                   "--symfs; `perf record --buildid-mmap` notes build ids";
        case SymbolMiss::no_build_id:
            return "give the recording machine's files with --symfs; `perf record --buildid-mmap` notes build ids";
        case SymbolMiss::offline: return "leave out --offline, or give files with --symfs or --buildid-dir";
        case SymbolMiss::no_symbols: return "install the package with its debug symbols, or give --debug-dir";
        case SymbolMiss::unreadable: return "give an intact copy with --symfs or --buildid-dir";
        case SymbolMiss::not_opened:
            return "allow it to be read, and enough files to be open (ulimit -n), or give a copy with --symfs";
        case SymbolMiss::other_machine:
        case SymbolMiss::untrusted: return "give the recording machine's files with --symfs";
        case SymbolMiss::not_a_file:
        case SymbolMiss::outside_file:
        case SymbolMiss::between_symbols:
        case SymbolMiss::busy: return {};
    }
    return {};
}

// Returns true if recorded build-ids would supply the name.
constexpr bool lacks_build_id(SymbolMiss miss) {
    return miss == SymbolMiss::unproven || miss == SymbolMiss::no_build_id;
}

}  // namespace perfdata
