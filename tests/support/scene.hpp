// SPDX-License-Identifier: MIT
// Recordings with BPF programs, with records as the kernel and perf write them. Tests of higher layers build on it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "perfdata/timeline/timeline.hpp"

#include "support/build.hpp"
#include "support/program_info.hpp"

namespace perfdata::test {

// Stamp is when and by which thread a record was written. All zero: perf synthesized it.
struct Stamp {
    std::uint64_t time = 0;
    std::uint32_t pid = 0, tid = 0, cpu = 0;
};
// live(time, cpu) returns the stamp of a writer on that CPU.
inline Stamp live(std::uint64_t time, std::uint32_t cpu = 1) {
    return {time, 100 + cpu, 100 + cpu, cpu};
}

// tag_of(number) returns a tag whose 16 hex digits are the number's.
BpfTag tag_of(std::uint64_t number);
// symbol_of(tag, name) returns the kernel's name of a BPF function.
std::string symbol_of(const BpfTag& tag, std::string_view name);

struct Function {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::string name;
    std::uint64_t tag = 0;
};

struct Program {
    std::uint32_t id = 0;
    std::uint64_t tag = 0;  // of the whole program
    std::vector<Function> functions;

    // symbol(index, live): the main function's live record has the program's tag, the synthesized one has its own tag.
    std::string symbol(std::size_t index, bool live) const;
};

// info_of(program) has name, tag, ksyms, lens and tags, but no code.
ProgramInfo info_of(const Program& program, std::endian order = std::endian::little);

class Scene {
  public:
    static constexpr auto sample_type = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::time |
                                        sample_bit::cpu | sample_bit::period;
    static constexpr std::uint64_t first_id = 7;  // of event 0; the next event has the next id

    explicit Scene(std::endian order = std::endian::little, std::size_t events = 1, std::uint64_t type = sample_type);
    Scene(std::endian order, const std::vector<Attr>& events);

    Scene& symbol(Stamp at, std::uint64_t address, std::uint32_t size, std::string_view name, std::uint32_t event = 0,
                  std::uint16_t kind = 1);
    Scene& symbol_gone(Stamp at, std::uint64_t address, std::uint32_t size, std::string_view name,
                       std::uint32_t event = 0, std::uint16_t kind = 1);
    Scene& event(Stamp at, BpfEvent::Kind kind, std::uint32_t id, std::uint64_t tag, std::uint32_t from_event = 0);

    // known(program) adds perf's synthesized records for existing programs. loaded() and unloaded() add the kernel's
    // records, one nanosecond apart; the last one is the BPF_EVENT, at at.time.
    Scene& known(const Program& program);
    Scene& loaded(Stamp at, const Program& program);
    Scene& unloaded(Stamp at, const Program& program);

    Scene& info(const ProgramInfo& info);
    Scene& btf(std::uint32_t id, Blob blob);
    Scene& feature(Feature number, Blob payload);
    Scene& sample(std::uint64_t ip, std::uint64_t time, CpuMode mode = CpuMode::kernel, std::uint32_t event = 0,
                  std::uint64_t period = 1);
    Scene& add(const Blob& record);

    // build() returns the file. open() keeps the bytes in the scene, which must outlive the recording. timeline()
    // requires success.
    Blob build();
    Recording open(const OpenOptions& options = {});
    Timeline timeline(const OpenOptions& options = {});

    std::endian order() const { return order_; }
    RecordFrame frame(Stamp at, std::uint32_t event = 0) const;

  private:
    SampleValues values(Stamp at, std::uint32_t event) const;

    std::endian order_;
    std::vector<std::uint64_t> types_;  // of the events' samples
    RecordingBuilder builder_;
    std::vector<Blob> infos_;
    std::vector<Btf> btf_;
    std::deque<Blob> files_;
};

// load_of(timeline, id) returns the only load of a program; requires exactly one.
const BpfLoad& load_of(const Timeline& timeline, std::uint32_t id);
// owner_of(timeline, address, time) returns the symbol of the code at that address, "-" if there was none.
std::string owner_of(const Timeline& timeline, std::uint64_t address, std::uint64_t time);
// program_at(timeline, address, time) returns the id of the program with code at that address, 0 if there was none.
std::uint32_t program_at(const Timeline& timeline, std::uint64_t address, std::uint64_t time);

}  // namespace perfdata::test
