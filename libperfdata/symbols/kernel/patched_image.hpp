// SPDX-License-Identifier: MIT
// Images of code that has one address for all processes and that the kernel may have patched.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/timeline/code_versions.hpp"

#include "symbols/patched_code.hpp"

namespace perfdata {

inline constexpr std::string_view the_recording = "the recording";

// ReadCode fills a copy of the code and sets the origin of the image.
using ReadCode = std::function<Result<void>(PatchedCode&, CodeImage&)>;

// Makes the image of one version: the bytes of `read`, with the patches before the end of the version applied and later
// ones undone. It does not matter when the source was read, but PatchedCode::check() must accept its bytes:
//
//     time    code of f                   TEXT_POKE at bytes 1 to 5         version
//             55 0f 1f 44 00 00 c3                                             0
//     t1      55 e8 10 20 30 40 c3        old 0f 1f 44 00 00, new e8 ...       1
//     t2      55 0f 1f 44 00 00 c3        old e8 ..., new 0f 1f 44 00 00       2
//     ?       source: 55 0f 1f 44 00 00 c3
//
//     version 1: the last poke before its end, at t1, has the new bytes     55 e8 10 20 30 40 c3
//     version 0: no poke before its end; the first one has the old bytes    55 0f 1f 44 00 00 c3
//
// `held` bounds the memory, as records claim any size: it is how many bytes the source may have.
Result<CodeImage> patched_image(const CodeVersions& versions, const CodeVersion& version, std::uint64_t size,
                                std::uint64_t held, const ReadCode& read);

}  // namespace perfdata
