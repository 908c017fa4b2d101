// SPDX-License-Identifier: MIT
// Memory of the tool in huge pages. See huge_pages.cpp.
#pragma once

namespace perfdata::tool {

// use_huge_pages() makes operator new ask for huge pages where the process has much memory. Call it first of all.
void use_huge_pages() noexcept;

}  // namespace perfdata::tool
