// SPDX-License-Identifier: MIT
// Recordings from a seed: events of different layouts, records of every type, features, in every container.
#pragma once

#include "support/build.hpp"
#include "support/random.hpp"

namespace perfdata::test {

// A Crafted recording is its content, whatever container it will be put in. The same seed gives the same content in
// both byte orders.
struct Crafted {
    struct Event {
        Attr attr;
        std::vector<std::uint64_t> ids;
        std::string name;
    };

    std::endian order = std::endian::little;
    std::uint32_t attr_bytes = 128;
    std::vector<Event> events;
    std::vector<Blob> synthesized;  // of perf itself, in front; time 0
    std::vector<Blob> records;      // of the kernel, with times
    std::vector<Blob> plain;        // of perf itself, never compressed; AUX data among them
    std::map<unsigned, Blob> features;

    // bytes_of(parts) is these records one after the other.
    static Blob bytes_of(const std::vector<Blob>& parts);
};

// craft(seed, order, attr_bytes): the events use nothing that an attr of so many bytes has no field for.
Crafted craft(std::uint64_t seed, std::endian order, std::uint32_t attr_bytes = 128);

// random_record(type, random, order, trailer): any record but SAMPLE and those of containers.
Blob random_record(RecordType type, Random& random, std::endian order, const Blob& trailer = {},
                   std::uint64_t read_format = 0);

// Containers. `data` is what the data section holds: all_records() unless it is to be compressed.
Blob all_records(const Crafted& crafted);
// builder_of: with all features, unless features is false.
RecordingBuilder builder_of(const Crafted& crafted, const Blob& data, bool features = true);
// as_pipe: events, features and their end mark as records; tracing data behind their record.
Blob as_pipe(const Crafted& crafted, const Blob& data);

Blob pipe_header(std::endian order);
Blob header_attr(std::endian order, const Attr& attr, std::size_t attr_bytes, const std::vector<std::uint64_t>& ids);
Blob header_feature(std::endian order, unsigned number, Bytes payload);

}  // namespace perfdata::test
