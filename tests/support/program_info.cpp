// SPDX-License-Identifier: MIT
#include "support/program_info.hpp"

#include <algorithm>
#include <array>

namespace perfdata::test {
namespace {

struct ArrayFields {
    std::size_t offset, count;
};
// In the order of the bits of `arrays`.
constexpr std::array<ArrayFields, 9> array_fields = {{
    {24, 16},
    {32, 20},
    {56, 52},
    {112, 104},
    {120, 108},
    {136, 144},
    {152, 148},
    {160, 168},
    {184, 180},
}};

}  // namespace

ProgramInfo::ProgramInfo(std::endian order, std::uint32_t id) : info_(order), data_(order) {
    info_.zeros(known_info_len);
    u32(info_field::id, id).u32(info_field::func_info_rec_size, 8).u32(info_field::line_info_rec_size, 16);
    u32(info_field::jited_line_info_rec_size, 8);
}

ProgramInfo& ProgramInfo::u32(std::size_t field, std::uint32_t value) {
    info_.patch(field, value);
    return *this;
}

ProgramInfo& ProgramInfo::u64(std::size_t field, std::uint64_t value) {
    info_.patch(field, value);
    return *this;
}

ProgramInfo& ProgramInfo::bytes(std::size_t field, Bytes content) {
    for (std::size_t index = 0; index < content.size(); ++index) {
        info_.patch(field + index, std::to_integer<std::uint8_t>(content[index]));
    }
    return *this;
}

ProgramInfo& ProgramInfo::array(BpfArray which, std::uint32_t count, const Blob& content) {
    place(which, data_.size(), count);
    data_.bytes(content).align(8);
    return *this;
}

ProgramInfo& ProgramInfo::place(BpfArray which, std::uint64_t offset, std::uint32_t count) {
    const auto index = static_cast<std::size_t>(which);
    arrays_ |= std::uint64_t{1} << index;
    return u64(array_fields[index].offset, offset).u32(array_fields[index].count, count);
}

ProgramInfo& ProgramInfo::clear_bit(BpfArray which) {
    arrays_ &= ~(std::uint64_t{1} << static_cast<unsigned>(which));
    return *this;
}

Blob ProgramInfo::encode(std::uint32_t info_len) const {
    Writer out(info_.order());
    out.u32(info_len).u32(static_cast<std::uint32_t>(data_.size())).u64(arrays_);
    const auto kept = std::min<std::size_t>(info_len, known_info_len);
    out.bytes(Bytes(info_.blob()).first(kept)).fill(info_len - kept, 0xee);
    return out.bytes(data_.blob()).take();
}

Blob prog_info_feature(std::endian order, const std::vector<Blob>& programs) {
    Writer out(order);
    out.u32(static_cast<std::uint32_t>(programs.size()));
    for (const auto& program : programs) out.bytes(program);
    return out.take();
}

Blob array_u32(std::endian order, const std::vector<std::uint32_t>& values) {
    Writer out(order);
    for (const auto value : values) out.u32(value);
    return out.take();
}

Blob array_u64(std::endian order, const std::vector<std::uint64_t>& values) {
    Writer out(order);
    for (const auto value : values) out.u64(value);
    return out.take();
}

}  // namespace perfdata::test
