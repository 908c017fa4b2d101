// SPDX-License-Identifier: MIT
// Only Catch2 2.13 needs this file: version 3 has its own main.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
