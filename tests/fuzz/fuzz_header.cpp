// SPDX-License-Identifier: MIT
// Fuzz target: header, events and features of a file, which may be compressed as a whole. Input without a file's magic
// is one feature: its number, a byte of choices, and the payload.
#include <algorithm>
#include <optional>

#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/feature/describe.hpp"

#include "memory_file.hpp"
#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

// FeatureReader reads every value of a feature.
class FeatureReader {
  public:
    explicit FeatureReader(fuzz::Touched& touched) : touched_(&touched) {}

    void operator()(std::string_view, std::string_view value) { touched_->text(value); }
    void operator()(std::string_view, Bytes value) { touched_->bytes(value); }
    void operator()(std::string_view, Address value) { touched_->number(value.value); }
    void operator()(std::string_view, Time value) { touched_->number(value.nanoseconds); }
    template <std::integral T>
    void operator()(std::string_view, T value) {
        touched_->number(static_cast<std::uint64_t>(value));
    }
    template <class Body>
    Result<void> list(std::string_view name, std::optional<std::uint64_t>, Body body) {
        require(!name.empty());
        return body(*this);
    }
    template <class Body>
    Result<void> element(Body body) {
        return body(*this);
    }

  private:
    fuzz::Touched* touched_;
};

void check_error(const Error& error, std::uint64_t begin, std::uint64_t end) {
    require(!error.where.empty() && !error.message().empty());
    require(error.offset == Error::no_offset || (error.offset >= begin && error.offset <= end));
}

void describe(unsigned number, Bytes payload, AnyOrder order, std::uint64_t offset, std::optional<std::uint32_t> cpus) {
    fuzz::Touched touched;
    const Cursor in(payload, order, {.where = "feature", .offset = offset});
    const auto described = describe_feature(number, in, {cpus}, FeatureReader(touched));
    if (!described) check_error(described.error(), offset, offset + payload.size());
}

void check_features(const Recording& recording) {
    for (const auto& section : recording.features()) {
        const auto content = recording.read_feature(section);
        if (!content) {
            require(!content.error().message().empty());
            continue;
        }
        require(section.inside_file && content->size() == section.section.size);
        require(section.section.offset + section.section.size <= recording.bytes());
        describe(section.number, *content, recording.order(), section.section.offset, {});
        describe(section.number, *content, recording.order(), section.section.offset, 2);
    }
}

void check_events(const EventTable& table) {
    const auto& events = table.events();
    for (std::uint32_t index = 0; index < events.size(); ++index) {
        const auto& event = events[index];
        require(table.layout(index).variable_offset() == event.sample.variable_offset());
        require(event.trailer.size() <= 48);
        for (const auto id : event.ids) {
            const auto found = table.find(id.value);
            require(found && *found < events.size());
            require(std::ranges::find(events[*found].ids, id) != events[*found].ids.end());
        }
    }
}

void check_recording(const Recording& recording) {
    const auto data = recording.data();
    require(data.offset <= recording.bytes() && data.size <= recording.bytes() - data.offset);
    require(recording.events().events().size() <= recording.limits().events);
    require(recording.diagnostics().kept().size() <= recording.diagnostics().count());
    for (const auto& problem : recording.diagnostics().kept()) require(!problem.message().empty());
    check_events(recording.events());
    check_features(recording);
}

// packed(input) returns true for gzip, xz and zstd.
bool packed(std::string_view input) {
    return input.starts_with("\x1f\x8b") ||
           input.starts_with(
               "\xfd"
               "7zXZ") ||
           input.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto recording = Recording::from_memory(std::as_bytes(std::span(data, size)), {fuzz::small_limits()});
    if (recording) {
        check_recording(*recording);
        return 0;
    }
    require(!recording.error().message().empty());
    const auto input = std::as_bytes(std::span(data, size));
    if (packed(as_text(input))) {
        const fuzz::MemoryFile file(input);
        const auto unpacked = Recording::open(file.path(), {fuzz::small_limits()});
        if (unpacked) check_recording(*unpacked);
        return 0;
    }
    fuzz::Choices choices(data, size);
    const auto number = choices.u8();
    const auto choice = choices.u8();
    const AnyOrder order((choice & 1) != 0 ? std::endian::big : std::endian::little);
    std::optional<std::uint32_t> cpus;
    if ((choice & 2) != 0) cpus = choice >> 2;
    describe(number, choices.rest(), order, 1000, cpus);
    return 0;
}
