// SPDX-License-Identifier: MIT
#include "known.hpp"

#include <iterator>

#include "catch.hpp"

namespace corpus {
namespace {

constexpr Disagreement table[] = {
    {"google__perf_data_converter/perf.data.piped.corrupted.zero_size_sample-3.2", "records",
     "COMM=101 EXIT=2 HEADER_ATTR=1 HEADER_EVENT_TYPE=1 MMAP=472 SAMPLE=227 THROTTLE=1 UNTHROTTLE=1",
     "The index stops at the sample of size 0 at 0xbfd0. The file is perf.data.piped.target.throttled-3.4 with that "
     "size "
     "patched: behind it we read the same records as there, of which one sample is missing."},
    {"google__perf_data_converter/poc-2125342715d182bd627e7e86e6843cf54654faeb336d0c07893fec760961d853", "records",
     "HEADER_ATTR=1",
     "At 0x62 is a header of type 0 and size 76, at 0xae behind it one of type 0x92929292 and size 37522, beyond the "
     "end. "
     "There is no type 0, and nothing behind it confirms its size: damage, 3030 bytes unread."},
    {"google__perf_data_converter/poc-3c490f25d455ada2b2701674ac183d8abd7b1bccb687235e8e60d390b6c524a6", "records", "",
     "An EXIT of 90 bytes at 0x10, behind it type 0 and size 1. The kernel's records are multiples of 8 (perf 7.2 "
     "gives up "
     "there, too), so it is not believed, and there is no other record."},
    {"google__perf_data_converter/poc-8b38b630443e3d51347f427ec97a475a68ab3beeea5d52df41e5bbc6ad012999", "features",
     "BUILD_ID HOSTNAME OSRELEASE RESERVED VERSION",
     "14 bits are set, but the feature table at byte 24 (data.offset 18, data.size 6) ends with the file of 104 bytes: "
     "it has five entries."},
    {"google__perf_data_converter/poc-c53034701abf35f2cb30d80ea967a540ad3d4eb208e17c78e7159f3df3dae191", "records", "",
     "A NAMESPACES of 177 bytes at 0x10, behind it a header of size 0: as in poc-3c490f25."},
    {"microsoft__LinuxTracepoints/pipe.data", "features",
     "ARCH BPF_BTF BPF_PROG_INFO CLOCKID CLOCK_DATA CMDLINE CPUDESC CPUID CPU_PMU_CAPS CPU_TOPOLOGY EVENT_DESC "
     "HOSTNAME NRCPUS OSRELEASE PMU_CAPS PMU_MAPPINGS SAMPLE_TIME TOTAL_MEM TRACING_DATA VERSION",
     "In a pipe the tracing data come behind a record of their own; we list them with the features, where a file has "
     "them."},
    {"google__perf_data_converter/perf.data.piped.target.throttled-3.4", "samples",
     "214 of 228 not the other's, first: 596462114251 tid 0 cpu 3 cycles ip 2166174978; 214 of 228 not the other's, "
     "first: 596462114251 tid 0 cpu 0 cycles ip 2166174978",
     "perf 7.2 prints CPU 0 for most samples of CPUs 2 and 3, in a stream that does not tell how many CPUs there are. "
     "The "
     "sample at 0xd6b0 has 03 00 00 00 in its CPU field (byte 32), and perf 6.1 prints 3."},
};

}  // namespace

const Disagreement* known_disagreement(std::string_view file, std::string_view subject) {
    for (const auto& entry : table) {
        if (entry.file == file && entry.subject == subject) return &entry;
    }
    return nullptr;
}

void check_agreement(const std::string& file, const std::string& subject, const std::string& ours,
                     const std::string& theirs) {
    INFO(file << ": " << subject);
    const auto* known = known_disagreement(file, subject);
    if (known == nullptr) {
        CHECK(ours == theirs);
    } else {
        INFO("known: " << known->reason);
        CHECK(ours == known->ours);
        CHECK(ours != theirs);
    }
}

}  // namespace corpus
