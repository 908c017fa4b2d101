// SPDX-License-Identifier: MIT
// Makes recordings from a seed: events with different layouts, records of every type, features, in every container.
#pragma once

#include "support/build.hpp"
#include "support/random.hpp"

namespace perfdata::test {

// Crafted is a recording's content, independent of the container. Equal seeds give equal content in both byte orders.
struct Crafted {
    struct Event {
        Attr attr;
        std::vector<std::uint64_t> ids;
        std::string name;
    };

    std::endian order = std::endian::little;
    std::uint32_t attr_bytes = 128;
    std::vector<Event> events;
    std::vector<Blob> synthesized;  // by perf itself, at the beginning; time 0
    std::vector<Blob> records;      // by the kernel, with times
    std::vector<Blob> plain;        // by perf itself, never compressed; includes AUX data
    std::map<unsigned, Blob> features;

    // bytes_of(parts) concatenates the records.
    static Blob bytes_of(const std::vector<Blob>& parts);
};

// craft(seed, order, attr_bytes): events use only fields within the first `attr_bytes` of the attr.
Crafted craft(std::uint64_t seed, std::endian order, std::uint32_t attr_bytes = 128);

// random_record(type, random, order, trailer): any type except SAMPLE and those of containers.
Blob random_record(RecordType type, Random& random, std::endian order, const Blob& trailer = {},
                   std::uint64_t read_format = 0);

// Containers. `data` is the content of the data section: all_records() unless compressed.
Blob all_records(const Crafted& crafted);
// builder_of(...) includes all features, unless `features` is false.
RecordingBuilder builder_of(const Crafted& crafted, const Blob& data, bool features = true);
// as_pipe(...) writes events, features and their end mark as records; tracing data follow their record.
Blob as_pipe(const Crafted& crafted, const Blob& data);

Blob pipe_header(std::endian order);
Blob header_attr(std::endian order, const Attr& attr, std::size_t attr_bytes, const std::vector<std::uint64_t>& ids);
Blob header_feature(std::endian order, unsigned number, Bytes payload);

}  // namespace perfdata::test
