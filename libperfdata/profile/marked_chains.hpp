// SPDX-License-Identifier: MIT
// What SampleCountOptions::parent and ignore_callees make of the chains once all are counted.
#pragma once

#include <cstddef>
#include <span>

#include "perfdata/profile/chain_node.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_counts.hpp"

#include "row_table.hpp"

namespace perfdata {

// mark_chains(...) gives rows their parents, and the chains that end where callees are ignored. Chains share the nodes
// of their callers: the cost is one step a node and a row, however deep the chains are. Without the options it does
// nothing.
void mark_chains(const SampleCountOptions& options, std::span<const ChainNode> chains, std::span<const Frame> frames,
                 std::size_t columns, InternTable<SampledTask>& tasks, RowTable& rows);

}  // namespace perfdata
