// SPDX-License-Identifier: MIT
// Brings a model into the one order that its content has.
#pragma once

#include "model.hpp"

namespace perfdata::stored {

// canonical(model) sorts the tables, adds up equal cells and branches, keeps one of equal rows, and leaves out rows
// that nothing refers to: of texts, objects, loads, codes, places, calls, nameless, nodes, cgroups and tasks.
// References must be in range and go to earlier tables (of Call and Node to earlier rows). The model need keep no other
// promise: whoever makes one adds rows in any order, as often as it likes.
//
// Takes n log n for n rows, each compared by its content, and about twice the memory of the model.
Model canonical(Model model);

// keep_only(model, dimensions) leaves out what the bits do not have: see Dimension. Also what depends on it: without
// symbols there are neither lines nor code. The result is canonical.
Model keep_only(Model model, std::uint32_t dimensions);

}  // namespace perfdata::stored
