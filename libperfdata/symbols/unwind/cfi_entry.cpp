// SPDX-License-Identifier: MIT
#include "cfi_entry.hpp"

#include <algorithm>
#include <string>

#include "cfi_number.hpp"
#include "cfi_pointer.hpp"

namespace perfdata {
namespace {

constexpr std::size_t longest_augmentation = 16;  // characters; the longest that is known has six

bool is_eh(const CfiInput& input) {
    return input.format == CfiInput::Format::eh_frame;
}

// Reads what each letter of an augmentation stands for.
Result<void> read_augmentation_data(Cursor& in, std::string_view letters, const UnwindTarget& target,
                                    std::uint64_t vaddr_of_data, CfiCommon& common) {
    const auto begin = in.position();
    for (std::size_t at = 0; at < letters.size(); ++at) {
        switch (letters[at]) {
            case 'L': in.skip(1); break;
            case 'R': common.encoding = in.u8(); break;
            case 'P': {
                const auto encoding = in.u8();
                if (encoding == cfi_encoding::omitted) break;
                if ((encoding & cfi_encoding::base_mask) == cfi_encoding::aligned) {
                    const auto vaddr = vaddr_of_data + (in.position() - begin);
                    in.skip((target.address_bytes() - vaddr % target.address_bytes()) % target.address_bytes());
                }
                if (!encoded_number(in, encoding, target.address_bytes())) {
                    return in.contradiction("the personality has the unknown encoding " + std::to_string(encoding));
                }
                break;
            }
            case 'S': common.signal_frame = true; break;
            case 'B':         // return addresses are signed with arm64's key B; the bits are the same
            case 'G': break;  // stack frames are tagged
            default:
                // What follows is unknown, but its size is not. Encodings are needed, though.
                if (letters.find('R', at) == std::string_view::npos) return {};
                return fail(ErrorCode::unsupported, in.file_offset(), "call frame information",
                            "a CIE has the unknown augmentation \"" + std::string(letters) + '"');
        }
    }
    if (!in.ok()) return in.failure("data of the augmentation");
    return {};
}

}  // namespace

Cursor CfiEntries::cursor(std::uint64_t begin, std::uint64_t end) const {
    const auto size = input_.section.size();
    end = end < size ? end : size;
    begin = begin < end ? begin : end;
    return {input_.section.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
            input_.order,
            {is_eh(input_) ? ".eh_frame" : ".debug_frame", input_.file_offset + begin}};
}

Result<CfiEntries::Entry> CfiEntries::entry(std::uint64_t offset) const {
    auto in = cursor(offset, UINT64_MAX);
    Entry entry;
    std::uint64_t length = in.u32();
    if (length == UINT32_MAX) {
        entry.wide = true;
        length = in.u64();
    } else if (length >= 0xfffffff0) {
        return in.contradiction("an entry has a length that is reserved");
    }
    if (!in.ok() || length > in.remaining()) return in.failure("an entry of " + std::to_string(length) + " bytes");
    const auto id_at = offset + in.position();
    entry.next = static_cast<std::uint32_t>(id_at + length);
    if (length == 0) return entry;
    // In .eh_frame the id has four bytes even if the length has eight, and the distance to the CIE is counted from it.
    const bool wide_id = entry.wide && !is_eh(input_);
    auto body = cursor(id_at, entry.next);
    const std::uint64_t id = wide_id ? body.u64() : body.u32();
    if (!body.ok()) return body.failure("the id of an entry");
    entry.body = static_cast<std::uint32_t>(id_at + body.position());
    const auto of_common = is_eh(input_) ? 0 : wide_id ? UINT64_MAX : UINT32_MAX;
    if (id == of_common) {
        entry.kind = Entry::Kind::common;
        return entry;
    }
    entry.kind = Entry::Kind::function;
    const auto distance = std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(id))};
    entry.common_at = is_eh(input_) ? id_at - static_cast<std::uint64_t>(distance) : id;
    return entry;
}

Result<CfiCommon> CfiEntries::common(std::uint64_t offset) const {
    if (offset >= input_.section.size()) {
        return cursor(offset, offset).contradiction("the CIE of an FDE lies outside of the section");
    }
    const auto entry = this->entry(offset);
    if (!entry) return fail(entry.error());
    auto in = cursor(entry->body, entry->next);
    if (entry->kind != Entry::Kind::common) return in.contradiction("what an FDE refers to is no CIE");
    const auto unsupported = [&](const std::string& what) {
        return fail(ErrorCode::unsupported, in.file_offset(), is_eh(input_) ? ".eh_frame" : ".debug_frame",
                    "a CIE has " + what);
    };
    CfiCommon common;
    common.address_bytes = static_cast<std::uint8_t>(target_.address_bytes());
    const auto version = in.u8();
    // Any number of functions may refer to this entry: look for the end of the text only where it may be.
    const auto text_at = entry->body + in.position();
    auto text = cursor(text_at, std::min<std::uint64_t>(entry->next, text_at + longest_augmentation + 1));
    const auto augmentation = text.terminated_string();
    if (!in.ok() || (!text.ok() && in.remaining() <= longest_augmentation)) {
        return text.failure("the augmentation of a CIE");
    }
    in.skip(augmentation.size() + 1);
    if (version != 1 && version != 3 && version != 4) return unsupported("version " + std::to_string(version));
    if (!text.ok()) return unsupported("a very long augmentation");
    if (version == 4) {
        common.address_bytes = in.u8();
        common.segment_bytes = in.u8();
        if (in.ok() && (common.address_bytes != 4 && common.address_bytes != 8)) {
            return unsupported("addresses of " + std::to_string(common.address_bytes) + " bytes");
        }
        if (in.ok() && common.segment_bytes > 8) return unsupported("very large segments");
    }
    auto letters = augmentation;
    if (letters.starts_with("eh")) {  // gcc 2: an address of its exception table
        in.skip(target_.address_bytes());
        letters.remove_prefix(2);
    }
    common.code_alignment = unsigned_number(in);
    common.data_alignment = signed_number(in);
    common.return_register = version == 1 ? in.u8() : unsigned_number(in);
    if (letters.starts_with('z')) {
        common.has_data_size = true;
        const auto size = unsigned_number(in);
        if (!in.ok() || size > in.remaining()) return in.failure("data of the augmentation");
        const auto at = entry->body + in.position();
        auto data = cursor(at, at + size);
        in.skip(size);
        letters.remove_prefix(1);
        const auto read = read_augmentation_data(data, letters, target_, input_.address + at, common);
        if (!read) return fail(read.error());
    } else if (!letters.empty()) {
        return unsupported("the unknown augmentation \"" + std::string(augmentation) + '"');
    }
    if (!in.ok()) return in.failure("a CIE");
    if ((common.encoding & cfi_encoding::indirect) != 0) return unsupported("indirect addresses");
    common.instructions_at = static_cast<std::uint32_t>(entry->body + in.position());
    common.instructions = in.rest();
    return common;
}

Result<std::uint64_t> CfiEntries::address(Cursor& in, std::uint64_t at, const CfiCommon& common,
                                          std::uint64_t function) const {
    if (!is_eh(input_)) {
        in.skip(common.segment_bytes);
        const auto value = common.address_bytes == 8 ? in.u64() : in.u32();
        if (!in.ok()) return in.failure("an address");
        return value & target_.address_mask();
    }
    const auto vaddr = input_.address + at;
    if (common.encoding == cfi_encoding::aligned) {
        in.skip((common.address_bytes - vaddr % common.address_bytes) % common.address_bytes);
    }
    const auto number = encoded_number(in, common.encoding, common.address_bytes);
    if (!in.ok()) return in.failure("an address");
    auto base = std::optional<std::uint64_t>();
    switch (common.encoding & cfi_encoding::base_mask) {
        case cfi_encoding::absolute:
        case cfi_encoding::aligned: base = 0; break;
        case cfi_encoding::pcrel: base = vaddr; break;
        case cfi_encoding::textrel: base = input_.text_address; break;
        case cfi_encoding::datarel: base = input_.data_address; break;
        case cfi_encoding::funcrel: base = function; break;
        default: break;
    }
    if (!number || !base) {
        return fail(ErrorCode::unsupported, in.file_offset(), ".eh_frame",
                    "an address has the unknown encoding " + std::to_string(common.encoding));
    }
    // A linker that removes a function leaves 0, whatever the encoding.
    if (*number == 0) return std::uint64_t{0};
    return (*number + *base) & target_.address_mask();
}

Result<CfiFunction> CfiEntries::function(std::uint32_t offset, const Entry& entry, const CfiCommon& common) const {
    auto in = cursor(entry.body, entry.next);
    if (entry.kind != Entry::Kind::function) return in.contradiction("what should be an FDE is none");
    CfiFunction function;
    function.offset = offset;
    function.common = common;
    const auto begin = address(in, entry.body, common, 0);
    if (!begin) return fail(begin.error());
    function.begin = *begin;
    const auto encoding = is_eh(input_) ? common.encoding : std::uint8_t{cfi_encoding::absolute};
    auto size = encoded_number(in, encoding, common.address_bytes).value_or(0);
    // Sizes have no sign, even where addresses have one.
    switch (encoding & cfi_encoding::format_mask) {
        case cfi_encoding::sdata2: size &= 0xffff; break;
        case cfi_encoding::sdata4: size &= 0xffffffff; break;
        default: break;
    }
    if (common.has_data_size) in.skip(unsigned_number(in));
    if (!in.ok()) return in.failure("an FDE");
    function.end = function.begin + size;
    if (function.end < function.begin || function.end - 1 > target_.address_mask()) {
        if (size != 0) return in.contradiction("the code of an FDE goes beyond the address space");
    }
    function.instructions_at = static_cast<std::uint32_t>(entry.body + in.position());
    function.instructions = in.rest();
    return function;
}

Result<CfiFunction> CfiEntries::function(std::uint64_t offset) const {
    const auto entry = this->entry(offset);
    if (!entry) return fail(entry.error());
    const auto common = this->common(entry->common_at);
    if (!common) return fail(common.error());
    return function(static_cast<std::uint32_t>(offset), *entry, *common);
}

}  // namespace perfdata
