// SPDX-License-Identifier: MIT
// Sections of a recording's header without what may be secret.
#pragma once

#include "perfdata/recording/recording.hpp"

#include "bundle/anonymize/byte_writer.hpp"
#include "bundle/anonymize/names.hpp"
#include "bundle/anonymize/tally.hpp"
#include "bundle/anonymize/words.hpp"
#include "recording/look_out.hpp"

namespace perfdata {

// FeatureRewriter writes the sections of a recording again, one at a time. Memory is that of the largest one.
class FeatureRewriter {
  public:
    // attr_bytes is the size of the attrs of the new recording, arch the machine's name: empty if nobody knows it. All
    // must outlive this.
    FeatureRewriter(const Recording& recording, const Names& names, Tally& tally, std::size_t attr_bytes,
                    std::string_view arch, LookOut& look)
        : recording_(recording), names_(names), tally_(tally), attr_bytes_(attr_bytes), arch_(arch), look_(look) {}

    // write(number, out) appends the payload of that section. False if the new recording has none. Throws Stopped.
    bool write(unsigned number, ByteWriter& out);

  private:
    bool rewrite(Feature feature, Cursor in, ByteWriter& out);
    void event_descriptions(ByteWriter& out);
    bool tracing_data(ByteWriter& out);
    bool build_ids(Cursor in, ByteWriter& out);
    bool command_line(Cursor in, ByteWriter& out);
    bool cpu_topology(Cursor in, ByteWriter& out);
    bool numa_topology(Cursor in, ByteWriter& out);
    bool pmu_mappings(Cursor in, ByteWriter& out);
    bool groups(Cursor in, ByteWriter& out);
    void capabilities(Cursor& in, ByteWriter& out);
    bool pmu_capabilities(Cursor in, ByteWriter& out);
    bool hybrid_topology(Cursor in, ByteWriter& out);
    bool domains(Cursor in, ByteWriter& out);
    void drop_types(Cursor in);
    void cpu_lists(Cursor& in, ByteWriter& out);
    void cpu_list(Cursor& in, ByteWriter& out, bool (*is_one)(std::string_view) = is_cpu_list);
    std::string told(Told what, std::string_view before, std::string after);

    const Recording& recording_;
    const Names& names_;
    Tally& tally_;
    std::size_t attr_bytes_;
    std::string_view arch_;
    LookOut& look_;
};

// write_programs(in, most, names, tally, out) writes at most `most` programs of a section BPF_PROG_INFO: their code,
// addresses, sizes, tags and counts. Names are hashed, who loaded them, types, lines and maps are left out. False if it
// is damaged: then `out` has the programs in front of the damage.
bool write_programs(Cursor in, std::size_t most, const Names& names, Tally& tally, ByteWriter& out);

}  // namespace perfdata
