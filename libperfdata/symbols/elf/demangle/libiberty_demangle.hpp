// SPDX-License-Identifier: MIT
// libiberty's demangler. Its header declares basename() as C has it, which glibc's <cstring> does in another way.
#pragma once

#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>
#undef HAVE_DECL_BASENAME
