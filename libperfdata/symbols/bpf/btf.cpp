// SPDX-License-Identifier: MIT
#include "perfdata/symbols/bpf/btf.hpp"

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "perfdata/core/cursor.hpp"

#include "btf_declaration.hpp"
#include "btf_types.hpp"

namespace perfdata {
namespace {

constexpr std::string_view btf_place = "feature BPF_BTF";

}  // namespace

Btf::Btf(Bytes strings) : strings_(strings), last_end_(as_text(strings).rfind('\0')) {}
Btf::Btf(Btf&&) noexcept = default;
Btf& Btf::operator=(Btf&&) noexcept = default;
Btf::~Btf() = default;

// The header, struct btf_header in linux/btf.h:
//
//     0 u16 magic . 2 u8 version . 3 u8 flags . 4 u32 header size
//     8 u32 types offset . 12 u32 types size . 16 u32 strings offset . 20 u32 strings size   (from the header's end)
Result<Btf> Btf::parse(const BtfBlob& blob, AnyOrder order) {
    Cursor in(blob.data, order, {.where = btf_place, .offset = blob.offset});
    const auto magic = in.u16();
    in.skip(2);
    const auto header_size = in.u32();
    in.skip(8);
    const auto strings_offset = in.u32();
    const auto strings_size = in.u32();
    const auto name = "BTF " + std::to_string(blob.id);
    if (!in.ok()) return in.failure("the header of " + name);
    if (magic != 0xeb9f) {
        return fail(ErrorCode::malformed, blob.offset, std::string(btf_place), name + ": no BTF magic at the start");
    }
    const auto begin = std::uint64_t{header_size} + strings_offset;
    if (begin > blob.data.size() || strings_size > blob.data.size() - begin) {
        return fail(ErrorCode::truncated, blob.offset + 16, std::string(btf_place),
                    name + ": strings of " + std::to_string(strings_size) + " bytes at offset " +
                        std::to_string(begin) + " go beyond its " + std::to_string(blob.data.size()) + " bytes");
    }
    Btf result(blob.data.subspan(static_cast<std::size_t>(begin), strings_size));

    // libbpf accepts such a header. Its inline functions would then read misaligned numbers.
    if (header_size % 4 != 0) {
        result.problem_ = Error{ErrorCode::malformed, blob.offset + 4, std::string(btf_place),
                                name + ": a header of " + std::to_string(header_size) + " bytes"};
        return result;
    }
    auto types = BtfTypes::parse(blob.data);
    if (!types) {
        if (types.error() == ENOMEM) throw std::bad_alloc();
        result.problem_ = Error{ErrorCode::malformed, blob.offset, std::string(btf_place),
                                name + ": libbpf refuses its types: " + std::generic_category().message(types.error())};
        return result;
    }
    result.types_ = std::make_unique<BtfTypes>(std::move(*types));
    for (const auto variable : result.types_->section(".maps", most_declared_maps)) {
        result.declared_maps_.push_back(result.text(variable));
    }
    return result;
}

std::string_view Btf::text(std::uint32_t offset) const {
    if (offset >= strings_.size()) return {};
    const auto rest = as_text(strings_.subspan(offset));
    const auto start = rest.substr(0, longest_text);
    const auto end = start.find('\0');
    if (end != std::string_view::npos) return start.substr(0, end);
    const bool ends = last_end_ != std::string_view::npos && offset < last_end_;
    return ends ? start : std::string_view{};
}

std::string_view Btf::function_name(std::uint32_t type_id) const {
    if (!types_) return {};
    const auto type = types_->type(type_id);
    return type && type->kind == BtfType::Kind::function ? text(type->name) : std::string_view{};
}

std::string Btf::prototype(std::uint32_t type_id) const {
    return types_ ? btf_function_declaration(*types_, type_id) : std::string{};
}

}  // namespace perfdata
