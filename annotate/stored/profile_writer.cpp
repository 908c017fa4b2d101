// SPDX-License-Identifier: MIT
#include "profile_writer.hpp"

#include "export/gzip_sink.hpp"
#include "recording/stored/profile_file.hpp"

namespace perfdata {

void write_profile_file(const stored::Model& model, const Sink& sink, unsigned threads) {
    const auto write = [&](const Sink& packing) {
        stored::write_profile(model, [&](std::string_view part) { packing(part); });
    };
    write_gzip(sink, write, threads);
}

}  // namespace perfdata
