// SPDX-License-Identifier: MIT
#include "read_code.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace perfdata {

Result<bool> read_code(const ElfFile& file, std::uint64_t vaddr, PatchedCode& code) {
    std::array<std::byte, 16384> block;
    auto size = std::min<std::uint64_t>(code.size(), std::numeric_limits<std::uint64_t>::max() - vaddr);
    if (file.type() == ElfFile::Type::relocatable) {
        // Addresses are file offsets; a function does not continue in the next section.
        if (const auto* section = file.code_section(vaddr)) {
            size = std::min(size, section->size - (vaddr - section->offset));
        }
    }
    auto left = file.source().size();
    for (std::uint64_t done = 0; done < size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - done));
        const auto got = file.read(vaddr + done, std::span(block).first(wanted));
        if (!got) return fail(got.error());
        const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(*got, left));
        code.put(done, Bytes(block).first(taken));
        if (taken < *got) return false;
        left -= taken;
        done += *got;
        if (*got != 0) continue;
        if (file.type() != ElfFile::Type::core) break;
        // A partial kcore may lack a page in the middle of a function.
        const auto next = file.next_segment(vaddr + done);
        done = next ? std::min(size, *next - vaddr) : size;
    }
    return true;
}

}  // namespace perfdata
