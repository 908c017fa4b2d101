// SPDX-License-Identifier: MIT
#include "btf_types.hpp"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace perfdata {
namespace {

// libbpf prints complaints to stderr. Its printer is one for the whole process: take it away during a call, and give
// it back.
class Silence {
  public:
    Silence() : lock_(mutex()), before_(libbpf_set_print(nullptr)) {}
    ~Silence() {
        // The program may have set another one meanwhile.
        if (const auto other = libbpf_set_print(before_)) libbpf_set_print(other);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    std::lock_guard<std::mutex> lock_;
    libbpf_print_fn_t before_;
};

BtfType::Kind kind_of(const btf_type& type) {
    using Kind = BtfType::Kind;
    switch (btf_kind(&type)) {
        case BTF_KIND_PTR: return Kind::pointer;
        case BTF_KIND_CONST: return Kind::constant;
        case BTF_KIND_VOLATILE: return Kind::is_volatile;
        case BTF_KIND_RESTRICT: return Kind::restricted;
        case BTF_KIND_TYPE_TAG: return Kind::tag;
        case BTF_KIND_ARRAY: return Kind::array;
        case BTF_KIND_FUNC_PROTO: return Kind::prototype;
        case BTF_KIND_STRUCT: return Kind::structure;
        case BTF_KIND_UNION: return Kind::union_type;
        case BTF_KIND_FWD: return Kind::forward;
        case BTF_KIND_ENUM:
        case BTF_KIND_ENUM64: return Kind::enumeration;
        case BTF_KIND_FUNC: return Kind::function;
        default: return Kind::named;
    }
}

BtfType::Linkage linkage_of(const btf_type& function) {
    switch (btf_vlen(&function)) {  // a function keeps its linkage where other kinds keep a count
        case BTF_FUNC_STATIC: return BtfType::Linkage::internal;
        case BTF_FUNC_EXTERN: return BtfType::Linkage::external;
        default: return BtfType::Linkage::global;
    }
}

}  // namespace

void BtfTypes::Free::operator()(btf* types) const {
    btf__free(types);
}

std::expected<BtfTypes, int> BtfTypes::parse(Bytes blob) {
    const Silence silence;
    auto* types = btf__new(blob.data(), static_cast<std::uint32_t>(blob.size()));
    if (types == nullptr) return std::unexpected(errno);
    return BtfTypes(types);
}

std::optional<BtfType> BtfTypes::type(std::uint32_t id) const {
    if (id == 0) return {};
    const auto* type = btf__type_by_id(types_.get(), id);
    if (type == nullptr) return {};
    return BtfType{.kind = kind_of(*type),
                   .name = type->name_off,
                   .type = type->type,
                   .count = btf_vlen(type),
                   .is_union = btf_kflag(type),
                   .linkage = linkage_of(*type)};
}

BtfParameter BtfTypes::parameter(std::uint32_t id, std::uint32_t index) const {
    const auto& parameter = btf_params(btf__type_by_id(types_.get(), id))[index];
    return {parameter.name_off, parameter.type};
}

BtfArray BtfTypes::array(std::uint32_t id) const {
    const auto* array = btf_array(btf__type_by_id(types_.get(), id));
    return {array->type, array->nelems};
}

std::vector<std::uint32_t> BtfTypes::section(const char* name, std::size_t most) const {
    std::vector<std::uint32_t> names;
    const auto id = btf__find_by_name_kind(types_.get(), name, BTF_KIND_DATASEC);
    if (id <= 0) return names;
    const auto* section = btf__type_by_id(types_.get(), static_cast<std::uint32_t>(id));
    for (std::uint32_t index = 0; index < btf_vlen(section) && names.size() < most; ++index) {
        const auto* variable = btf__type_by_id(types_.get(), btf_var_secinfos(section)[index].type);
        if (variable != nullptr && btf_is_var(variable)) names.push_back(variable->name_off);
    }
    return names;
}

std::string_view BtfTypes::text(std::uint32_t offset, std::size_t most) const {
    const auto* text = btf__name_by_offset(types_.get(), offset);
    return text == nullptr ? std::string_view{} : std::string_view(text, strnlen(text, most));
}

}  // namespace perfdata
