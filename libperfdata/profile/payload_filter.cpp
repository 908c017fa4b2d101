// SPDX-License-Identifier: MIT
#include "perfdata/profile/payload_filter.hpp"

namespace perfdata {

// Here, so that this library has the type's information and others do not make it again.
PayloadFilter::~PayloadFilter() = default;

}  // namespace perfdata
