// SPDX-License-Identifier: MIT
// Every record except SAMPLE (see wire/sample.hpp), for code that handles them all alike.
#pragma once

#include <tuple>
#include <utility>

#include "perfdata/wire/record/aux.hpp"
#include "perfdata/wire/record/aux_output_hw_id.hpp"
#include "perfdata/wire/record/auxtrace.hpp"
#include "perfdata/wire/record/auxtrace_error.hpp"
#include "perfdata/wire/record/auxtrace_info.hpp"
#include "perfdata/wire/record/bpf_event.hpp"
#include "perfdata/wire/record/bpf_metadata.hpp"
#include "perfdata/wire/record/callchain_deferred.hpp"
#include "perfdata/wire/record/cgroup.hpp"
#include "perfdata/wire/record/comm.hpp"
#include "perfdata/wire/record/compressed.hpp"
#include "perfdata/wire/record/compressed2.hpp"
#include "perfdata/wire/record/context_switch.hpp"
#include "perfdata/wire/record/cpu_map.hpp"
#include "perfdata/wire/record/event_update.hpp"
#include "perfdata/wire/record/fields.hpp"
#include "perfdata/wire/record/finished_init.hpp"
#include "perfdata/wire/record/finished_round.hpp"
#include "perfdata/wire/record/header_attr.hpp"
#include "perfdata/wire/record/header_build_id.hpp"
#include "perfdata/wire/record/header_event_type.hpp"
#include "perfdata/wire/record/header_feature.hpp"
#include "perfdata/wire/record/header_tracing_data.hpp"
#include "perfdata/wire/record/id_index.hpp"
#include "perfdata/wire/record/itrace_start.hpp"
#include "perfdata/wire/record/ksymbol.hpp"
#include "perfdata/wire/record/lost.hpp"
#include "perfdata/wire/record/lost_samples.hpp"
#include "perfdata/wire/record/mmap.hpp"
#include "perfdata/wire/record/mmap2.hpp"
#include "perfdata/wire/record/namespaces.hpp"
#include "perfdata/wire/record/read.hpp"
#include "perfdata/wire/record/schedstat_cpu.hpp"
#include "perfdata/wire/record/schedstat_domain.hpp"
#include "perfdata/wire/record/stat.hpp"
#include "perfdata/wire/record/stat_config.hpp"
#include "perfdata/wire/record/stat_round.hpp"
#include "perfdata/wire/record/switch_cpu_wide.hpp"
#include "perfdata/wire/record/task.hpp"
#include "perfdata/wire/record/text_poke.hpp"
#include "perfdata/wire/record/thread_map.hpp"
#include "perfdata/wire/record/throttle.hpp"
#include "perfdata/wire/record/time_conv.hpp"

namespace perfdata {

// AllRecords is in the order of the type numbers.
using AllRecords =
    std::tuple<Mmap, Lost, Comm, Exit, Throttle, Unthrottle, Fork, Read, Mmap2, Aux, ItraceStart, LostSamples,
               ContextSwitch, SwitchCpuWide, Namespaces, Ksymbol, BpfEvent, Cgroup, TextPoke, AuxOutputHwId,
               CallchainDeferred, HeaderAttr, HeaderEventType, HeaderTracingData, HeaderBuildId, FinishedRound, IdIndex,
               AuxtraceInfo, Auxtrace, AuxtraceError, ThreadMap, CpuMap, StatConfig, Stat, StatRound, EventUpdate,
               TimeConv, HeaderFeature, Compressed, FinishedInit, Compressed2, BpfMetadata, SchedstatCpu,
               SchedstatDomain>;

// visit_record_type(type, f) calls f.template operator()<R>() with the R that decodes records of this type. Returns
// false, without a call, for SAMPLE and unknown types.
template <class F>
bool visit_record_type(RecordType type, F&& f) {
    return [&]<class... R>(std::type_identity<std::tuple<R...>>) {
        return ((R::type == type && (f.template operator()<R>(), true)) || ...);
    }(std::type_identity<AllRecords>{});
}

// decode_record<R>(record, trailer_size, read_format) is R::decode(); READ records need the read_format of their
// event's attr, the others ignore it.
template <class R>
Result<R> decode_record(const RecordView& record, std::size_t trailer_size, std::uint64_t read_format) {
    if constexpr (requires { R::decode(record, trailer_size, read_format); }) {
        return R::decode(record, trailer_size, read_format);
    } else {
        return R::decode(record, trailer_size);
    }
}

}  // namespace perfdata
