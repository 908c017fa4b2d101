// SPDX-License-Identifier: MIT
// Images of code that lies at one address for everybody, and that the kernel may have patched.
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

// ReadCode fills a copy of the code, and says in the image where the bytes are from.
using ReadCode = std::function<Result<void>(PatchedCode&, CodeImage&)>;

// patched_image(versions, version, size, held, read) makes one version of code: what `read` has, with the patches up to
// the end of the version applied and those after it undone.
//
//     time ──────────► from            until
//     bytes   e8 xx..  │ 0f 1f ...     │ e8 yy..      TEXT_POKE at `from` and at `until`
//                      │◄── version ──►│
//     copy taken here ──────────────────────────► undo what came at or after `until`
//
// `held` is how many bytes the source may have: records claim any size, and what nobody has takes no memory.
Result<CodeImage> patched_image(const CodeVersions& versions, const CodeVersion& version, std::uint64_t size,
                                std::uint64_t held, const ReadCode& read);

}  // namespace perfdata
