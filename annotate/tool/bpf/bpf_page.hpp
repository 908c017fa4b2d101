// SPDX-License-Identifier: MIT
// The list of BPF programs, as text and as JSON.
#pragma once

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/recording/recording.hpp"

#include "tool/bpf/bpf_code.hpp"
#include "tool/bpf/bpf_listed.hpp"
#include "tool/bpf/bpf_timeline.hpp"

namespace perfdata::tool {

void write_bpf_text(const BpfView& view, const Sink& sink);

// write_bpf_json(...): `code` and `timeline` may be null.
void write_bpf_json(const Recording& recording, const BpfView& view, BpfCode* code, const ListedTimeline* timeline,
                    const Sink& sink);

}  // namespace perfdata::tool
