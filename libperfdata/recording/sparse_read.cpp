// SPDX-License-Identifier: MIT
#include "sparse_read.hpp"

#include <algorithm>

#include "frame_search.hpp"

namespace perfdata {
namespace {

// Gap is a stretch of a record that need not be read.
struct Gap {
    std::size_t begin = 0, end = 0;  // from the start of the record; equal: none
    bool known = true;               // false: more of the record is needed to tell
};

// Returns where the copy of the stack lies in a sample, of which the first `there` bytes are there.
Gap stack_copy(const std::byte* record, std::size_t there, std::size_t size, const EventTable& events, AnyOrder order) {
    constexpr std::size_t fixed = 80, longest_count = 16;  // of all fields before the parts; of the counts in a part
    if (there < fixed) return {0, 0, false};
    const auto event = events.of_sample(record, there, order);
    if (!event) return {};
    const auto& layout = events.layout(*event);
    const auto& shape = layout.shape();
    // A branch stack can be read in more than one way.
    if (!shape.has(SamplePart::stack_user) || shape.has(SamplePart::branch_stack)) return {};
    auto at = layout.variable_offset();
    if (at > size) return {};
    for (auto part = shape.next(0); part < sample_part_count; part = shape.next(part + 1)) {
        if (at + longest_count > there) return {0, 0, false};
        const auto length = shape.size_of(static_cast<SamplePart>(part), record + at, size - at, order, {});
        if (length == SampleShape::overrun) return {};
        if (static_cast<SamplePart>(part) == SamplePart::stack_user) {
            constexpr std::size_t word = 8;
            return length < 2 * word ? Gap{} : Gap{at + word, at + static_cast<std::size_t>(length) - word};
        }
        at += static_cast<std::size_t>(length);
    }
    return {};
}

// Returns true if bytes follow the record that are no records, or others are packed in it.
bool has_data_attached(const RecordHeader& header) {
    const auto type = static_cast<RecordType>(header.type);
    return type == RecordType::auxtrace || type == RecordType::header_tracing_data || type == RecordType::compressed ||
           type == RecordType::compressed2;
}

}  // namespace

Result<SparseRead> read_sparsely(const Source& source, std::uint64_t offset, std::span<std::byte> block,
                                 std::size_t kept, const EventTable& events, AnyOrder order) {
    constexpr std::size_t least_step = 1024, most_step = std::size_t{64} << 10, last = 8;
    std::size_t filled = kept, record = 0, step = least_step;
    bool left_out = false;
    const auto read = [&](std::size_t count) -> Result<bool> {
        const auto wanted = std::min(count, block.size() - filled);
        const auto got = source.read_at(offset + filled, block.subspan(filled, wanted));
        if (!got) return fail(got.error());
        filled += *got;
        return *got == wanted;
    };
    const auto read_all = [&]() -> Result<SparseRead> {
        const auto got = source.read_at(offset + kept, block.subspan(kept));
        if (!got) return fail(got.error());
        return SparseRead{kept + *got, false};
    };
    while (filled < block.size()) {
        const auto there = filled - record;
        bool believed = true;
        if (there >= RecordHeader::bytes) {
            const auto* at = block.data() + record;
            const auto header = RecordHeader::load(at, order);
            const bool sample = header.type == static_cast<std::uint32_t>(RecordType::sample);
            Gap gap;
            if (sample && header.size > least_stack_left_out) gap = stack_copy(at, there, header.size, events, order);
            believed = is_usual(header) && !has_data_attached(header);
            if (believed && gap.known && gap.end - gap.begin >= least_stack_left_out && gap.end > there) {
                // The last bytes of the block are read in any case: they show whether the file has so many.
                filled = std::max(filled, std::min(record + gap.end, block.size() - last));
                left_out = true;
                step = least_step;
            }
            if (believed && gap.known && filled >= record + header.size) {
                record += header.size;
                continue;
            }
        }
        const auto whole = read(believed ? step : block.size());
        if (!whole) return fail(whole.error());
        if (!*whole) {
            // The file has become shorter, perhaps within what was left out.
            if (left_out) return read_all();
            break;
        }
        step = std::min(step * 2, most_step);
    }
    return SparseRead{filled, left_out};
}

}  // namespace perfdata
