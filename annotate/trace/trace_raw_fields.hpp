// SPDX-License-Identifier: MIT
// Fields of a tracepoint whose format is not understood.
#pragma once

#include "trace_expression.hpp"
#include "trace_writer.hpp"

namespace perfdata {

// append_raw_field(writer, field, record) follows print_field_raw of libtraceevent.
void append_raw_field(TraceWriter& writer, const TraceField& field, const TraceRecord& record);

}  // namespace perfdata
