// SPDX-License-Identifier: MIT
#include "elf_source.hpp"

#include <string>
#include <utility>

#include "read_code.hpp"

namespace perfdata {

Result<CodeImage> ElfSource::image(const CodeVersion& version, std::uint64_t size) const {
    if (size == 0) return no_extent(version);
    const auto found = files_.file(version.function.index);
    const auto vaddr = files_.vaddr(version.function);
    if (!found || !vaddr) {
        const auto miss = found ? vaddr.error() : found.error();
        const auto help = remedy(miss);
        return fail(ErrorCode::missing, Error::no_offset, timeline_.tasks().objects()[version.function.index].path,
                    std::string(explain(miss)) + (help.empty() ? "" : "; ") + std::string(help));
    }
    CodeImage image;
    image.address = {*vaddr};
    image.origin = files_.finder().files().shown((*found)->path);
    PatchedCode code(image.address, size);
    if (auto read = read_code(*(*found)->file, *vaddr, code); !read) return fail(std::move(read.error()));
    if (!(*found)->proven) {
        image.problems.push_back({ErrorCode::missing, Error::no_offset, image.origin,
                                  "no build id proves that this is the file that was recorded"});
    }
    std::move(code).finish(image);
    return image;
}

}  // namespace perfdata
