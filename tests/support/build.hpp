// SPDX-License-Identifier: MIT
// Builds whole recordings in memory: header, ids, attrs, records, feature table and features, in either byte order and
// in any layout that perf and related tools write.
#pragma once

#include <map>

#include "perfdata/wire/feature/number.hpp"
#include "perfdata/wire/file_header.hpp"

#include "support/attr.hpp"
#include "support/features.hpp"
#include "support/records.hpp"

namespace perfdata::test {

class RecordingBuilder {
  public:
    struct Layout {
        std::uint64_t header_size = 104;    // 72: no feature bitmap, thus no features
        bool legacy = false;                // magic PERFFILE
        std::uint64_t attr_stride = 144;    // header.attr_size: attr of the writer + 16
        std::size_t ids_at = 128;           // offset of the ids' place in an entry of the attr section
        bool attrs_after_data = false;      // as perf inject writes from a pipe
        bool features_backwards = false;    // payloads in descending order of numbers; the table stays ascending
        bool features_before_data = false;  // payloads in front of the records; the table stays behind them
        bool bitmap_of_32_bit_words = false;
    };
    // Offsets in the last build().
    struct Places {
        std::uint64_t attrs = 0, data = 0, data_end = 0;
        std::vector<std::uint64_t> ids;
        std::map<unsigned, FileSection> features;
        std::map<unsigned, std::uint64_t> feature_entries;  // entries of the feature table
    };

    explicit RecordingBuilder(std::endian order = std::endian::little) : order_(order) {}

    RecordingBuilder& event(const Attr& attr, std::vector<std::uint64_t> ids = {});
    RecordingBuilder& add(const Blob& record);
    RecordingBuilder& feature(unsigned number, Blob payload);
    RecordingBuilder& feature(Feature number, Blob payload) {
        return feature(static_cast<unsigned>(number), std::move(payload));
    }

    Blob build();
    const Places& places() const { return places_; }

    Layout layout;

  private:
    struct Entry {
        Attr attr;
        std::vector<std::uint64_t> ids;
    };

    void write_header(Writer& out, std::uint64_t attrs_size) const;
    void write_attrs(Writer& out);
    void write_payloads(Writer& out);
    void write_feature_table(Writer& out);

    std::endian order_;
    std::vector<Entry> events_;
    Blob data_;
    std::map<unsigned, Blob> features_;
    Places places_;
};

// Offsets of fields of the file header, for manual damage.
namespace header_field {
inline constexpr std::size_t size = 8, attr_size = 16, attrs_offset = 24, attrs_size = 32, data_offset = 40,
                             data_size = 48, features = 72;
}

}  // namespace perfdata::test
