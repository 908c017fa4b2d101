// SPDX-License-Identifier: MIT
// The version of these headers; docs/embedding.md says what each part of it promises. CMakeLists.txt reads it from
// here.
#pragma once

#include <string_view>

// The three parts of the version, for the preprocessor. MAJOR grows when the API breaks; as long as it is 0, MINOR
// does.
#define PERFDATA_VERSION_MAJOR 0
// Grows with new API; as long as MAJOR is 0, also when the API breaks.
#define PERFDATA_VERSION_MINOR 2
// Grows with repairs that change no API.
#define PERFDATA_VERSION_PATCH 0
// For comparisons by the preprocessor: 0.2.0 is 200, 1.2.3 is 10203.
#define PERFDATA_VERSION (PERFDATA_VERSION_MAJOR * 10000 + PERFDATA_VERSION_MINOR * 100 + PERFDATA_VERSION_PATCH)

namespace perfdata {

// The version as "0.2.0". That of the compiled library is build_info().version: see perfdata/build_info.hpp.
inline constexpr std::string_view header_version = "0.2.0";

}  // namespace perfdata
