// SPDX-License-Identifier: MIT
#include "perfdata/build_info.hpp"

#include "perfdata/version.hpp"

namespace perfdata {

BuildInfo build_info() {
    BuildInfo info;
    info.version = header_version;
#ifdef __clang__
    info.compiler = __VERSION__;
#else
    info.compiler = "g++ " __VERSION__;
#endif
    info.dwarf = PERFDATA_WITH_DWARF;
    info.archives = PERFDATA_WITH_ARCHIVES;
    return info;
}

}  // namespace perfdata
