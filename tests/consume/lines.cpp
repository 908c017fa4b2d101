// SPDX-License-Identifier: MIT
// lines FILE: listings and pages, perfdata::annotate.
#include <cstdio>
#include <string>

#include "perfdata/annotate.hpp"
#include "perfdata/perfdata.hpp"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto recording = perfdata::Recording::open(argv[1]);
    if (!recording) {
        std::fprintf(stderr, "%s\n", recording.error().message().c_str());
        return 1;
    }
    const auto timeline = perfdata::Timeline::build(*recording);
    if (!timeline) return 1;
    const auto symbolizer = perfdata::Symbolizer::open(*recording, *timeline);
    const auto profile = perfdata::Profile::count(*recording, symbolizer.versions());
    if (!profile) return 1;
    const auto disassembler = perfdata::Disassembler::create(recording->arch());
    for (const auto& function : profile->functions()) {
        const auto listing = perfdata::annotate(function, symbolizer, disassembler);
        if (listing.kind != perfdata::CodeClass::bpf) continue;
        std::printf("listing %s %llu %.4f %zu\n", listing.name.full().c_str(),
                    static_cast<unsigned long long>(perfdata::hits(listing.total)),
                    listing.on_instruction_start.value_or(-1), listing.instructions.size());
        for (const auto& line : listing.lines) {
            std::printf("line %s:%u %llu\n", std::string(line.source.file).c_str(), line.source.line,
                        static_cast<unsigned long long>(perfdata::hits(line.cells)));
        }
    }
    return 0;
}
