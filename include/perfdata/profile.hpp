// SPDX-License-Identifier: MIT
// The room profile: samples counted by version of code, and by call chain.
#pragma once

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/call_filter.hpp"
#include "perfdata/profile/chain_node.hpp"
#include "perfdata/profile/chain_table.hpp"
#include "perfdata/profile/counted_sample.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/profile/dropped_by.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/payload_filter.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/profile/sample_filter.hpp"
