// SPDX-License-Identifier: MIT
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pprof_part.hpp"
#include "profile_fields.hpp"
#include "profile_file.hpp"
#include "row_writer.hpp"

namespace perfdata::stored {
namespace {

constexpr std::size_t profile_block = std::size_t{64} << 10;

constexpr protozero::pbf_tag_type tag(ProfileField field) {
    return static_cast<protozero::pbf_tag_type>(field);
}

}  // namespace

std::string profile_header(std::uint32_t version) {
    std::string header, bytes;
    protozero::pbf_writer message(header);
    message.add_bytes(1, profile_magic.data(), profile_magic.size());
    message.add_uint32(2, version);
    protozero::pbf_writer(bytes).add_message(tag(ProfileField::header), header);
    return bytes;
}

void write_tables(const Model& model, const PutBytes& put) {
    auto block = profile_header(profile_version);
    const auto flush_full = [&] {
        if (block.size() < profile_block) return;
        put(block);
        block.clear();
    };
    protozero::pbf_writer file(block);
    std::vector<std::uint64_t> sizes;
    each_table(model, [&](const auto& table) { sizes.push_back(table.size()); });
    file.add_packed_uint64(tag(ProfileField::sizes), sizes.begin(), sizes.end());
    file.add_message(tag(ProfileField::facts), encoded(model.facts));
    each_table(model, [&]<class Row>(const Table<Row>& table) {
        for (const auto& row : table) {
            file.add_message(table_field<Row>, encoded(row));
            flush_full();
        }
    });
    if (!block.empty()) put(block);
}

void write_profile(const Model& model, const PutBytes& put) {
    write_tables(model, put);
    write_pprof_part(model, put);
}

}  // namespace perfdata::stored
