// SPDX-License-Identifier: MIT
#include "perfdata/profile/chain_table.hpp"

namespace perfdata {

void ChainTable::seal() {
    nodes_.shrink_to_fit();
    first_callee_ = {};
    others_ = {};
}

}  // namespace perfdata
