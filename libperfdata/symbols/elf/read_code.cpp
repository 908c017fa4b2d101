// SPDX-License-Identifier: MIT
#include "read_code.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace perfdata {

Result<void> read_code(const ElfFile& file, std::uint64_t vaddr, PatchedCode& code) {
    std::array<std::byte, 16384> block;
    auto size = std::min<std::uint64_t>(code.size(), std::numeric_limits<std::uint64_t>::max() - vaddr);
    if (file.type() == ElfFile::Type::relocatable) {
        // Addresses are file offsets; a function does not continue in the next section.
        if (const auto* section = file.code_section(vaddr)) {
            size = std::min(size, section->size - (vaddr - section->offset));
        }
    }
    for (std::uint64_t done = 0; done < size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - done));
        const auto got = file.read(vaddr + done, std::span(block).first(wanted));
        if (!got) return fail(got.error());
        code.put(done, Bytes(block).first(*got));
        done += *got;
        if (*got != 0) continue;
        if (file.type() != ElfFile::Type::core) break;
        // A partial kcore may lack a page in the middle of a function.
        const auto next = file.next_segment(vaddr + done);
        done = next ? std::min(size, *next - vaddr) : size;
    }
    return {};
}

}  // namespace perfdata
