// SPDX-License-Identifier: MIT
// Writes recordings with many records from short descriptions. Little-endian, one event.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/build.hpp"

namespace perfdata::test {

class Sketch {
  public:
    static constexpr auto order = std::endian::little;
    // Every record's trailer is pid, tid and time, whatever else samples contain.
    static constexpr auto plain = sample_bit::ip | sample_bit::tid | sample_bit::time;
    static constexpr std::uint16_t kernel = 1, user = 2;

    explicit Sketch(std::uint64_t sample_type = plain, std::vector<std::uint64_t> ids = {});

    Sketch& comm(std::uint32_t pid, std::uint64_t time, std::string_view name = "x", bool exec = false);
    Sketch& fork(std::uint32_t pid, std::uint32_t parent, std::uint64_t time);
    Sketch& exit(std::uint32_t pid, std::uint64_t time);
    Sketch& mmap(std::uint32_t pid, std::uint64_t start, std::uint64_t size, std::string_view name, std::uint64_t time);
    Sketch& symbol(std::uint64_t start, std::uint32_t size, std::string_view name, std::uint64_t time,
                   std::uint16_t flags = 0);
    Sketch& bpf(BpfEvent::Kind kind, std::uint32_t program, std::uint64_t tag, std::uint64_t time);
    Sketch& poke(std::uint64_t address, std::string_view before, std::string_view after, std::uint64_t time);
    Sketch& sample(std::uint64_t ip, std::uint32_t pid, std::uint64_t time, std::uint16_t mode = user);
    // chain(...) adds a sample of an event with call chains.
    Sketch& chain(std::uint64_t ip, std::uint32_t pid, std::uint64_t time, std::span<const std::uint64_t> frames,
                  std::uint16_t mode = user);
    // record(type, body) adds a record of perf itself, without trailer; kernel_record(...) one with a trailer.
    Sketch& record(RecordType type, const Blob& body, std::uint16_t misc = 0);
    Sketch& kernel_record(RecordType type, const Blob& body, std::uint64_t time, std::uint32_t pid = 1,
                          std::uint16_t misc = 0);
    Sketch& add(const Blob& bytes);
    Sketch& feature(Feature number, Blob payload);

    // event(type, config) says what is sampled.
    Sketch& event(std::uint32_t type, std::uint64_t config) {
        attr_.type = type;
        attr_.config = config;
        return *this;
    }

    // monotonic() makes times comparable with those of jitdumps.
    Sketch& monotonic() {
        attr_.flags |= std::uint64_t{1} << 25;  // use_clockid
        attr_.clockid = 1;
        return *this;
    }

    // user_stacks(mask, size) makes samples record registers and a copy of the user stack, without call chains.
    Sketch& user_stacks(std::uint64_t mask, std::uint32_t size) {
        attr_.sample_regs_user = mask;
        attr_.sample_stack_user = size;
        return *this;
    }

    // defer_callchains() allows chains that end in a cookie; CALLCHAIN_DEFERRED records hold the rest.
    Sketch& defer_callchains() {
        attr_.flags |= std::uint64_t{1} << 39;  // defer_callchain
        return *this;
    }

    // records() returns the records so far, for other containers.
    const Blob& records() const { return records_; }
    const Attr& attr() const { return attr_; }
    Blob build() const;

  private:
    Attr attr_;
    std::vector<std::uint64_t> ids_;
    Blob records_;
    std::vector<std::pair<Feature, Blob>> features_;
};

// words(values) writes u64 values in a row.
Blob words(std::span<const std::uint64_t> values);
inline Blob words(std::initializer_list<std::uint64_t> values) {
    return words(std::span(values.begin(), values.size()));
}

}  // namespace perfdata::test
