// SPDX-License-Identifier: MIT
// What the shared libraries offer.
#pragma once

// PERFDATA_EXPORT marks what is compiled into a library and offered to its users: classes with members that no header
// defines, and functions. All else is hidden. In a static library it means nothing.
#define PERFDATA_EXPORT [[gnu::visibility("default")]]
