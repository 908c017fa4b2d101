// SPDX-License-Identifier: MIT
#include "support/compressor.hpp"
#include "support/files.hpp"
#include "support/repacked.hpp"

namespace perfdata::test {

void write_directory(const TempDir& directory, const Crafted& content, Random& random) {
    std::vector<Blob> parts(3);
    for (const auto& record : content.records) {
        auto& part = parts[random.size(parts.size())];
        part.insert(part.end(), record.begin(), record.end());
    }
    directory.write("data", builder_of(content, Crafted::bytes_of(content.synthesized)).build());
    directory.write("data.0", packed(content.order, RecordType::compressed, parts[0], random));
    directory.write("data.1", packed(content.order, RecordType::compressed2, parts[1], random));
    directory.write("data.2", parts[2]);
}

}  // namespace perfdata::test
