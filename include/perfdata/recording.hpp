// SPDX-License-Identifier: MIT
// The room recording: one recording whatever its container, and walk(), which visits each of its records.
#pragma once

#include "perfdata/recording/architecture.hpp"
#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/event_groups.hpp"
#include "perfdata/recording/event_names.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/hash_key.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/recording/time_order.hpp"
#include "perfdata/recording/time_order_builder.hpp"
#include "perfdata/recording/walk.hpp"
