// SPDX-License-Identifier: MIT
#include "btf_declaration.hpp"

#include <algorithm>
#include <bpf/btf.h>
#include <cstring>
#include <string_view>

namespace perfdata {
namespace {

// Types of a damaged file may refer to themselves, and branch while doing so.
constexpr int deepest = 32;
constexpr int most_steps = 500;
constexpr std::size_t longest_type_name = 512;
constexpr std::size_t most_name_bytes = 16384;
constexpr std::string_view unknown = "?";

// Declares `declarator` ("v", "*v", "(*f)(int)") as being of a type, from the inside out as C does it.
class Declaration {
  public:
    explicit Declaration(const btf& types) : types_(types) {}

    std::string of(std::uint32_t id, std::string declarator, int depth = 0) const {
        if (id == 0) return join("void", declarator);
        const auto* type = btf__type_by_id(&types_, id);
        if (type == nullptr || depth > deepest || ++steps_ > most_steps) return join(unknown, declarator);
        switch (btf_kind(type)) {
            case BTF_KIND_PTR: return of(type->type, pointer_to(type->type, "*" + std::move(declarator)), depth + 1);
            case BTF_KIND_CONST: return qualified("const", *type, std::move(declarator), depth);
            case BTF_KIND_VOLATILE: return qualified("volatile", *type, std::move(declarator), depth);
            case BTF_KIND_RESTRICT: return qualified("restrict", *type, std::move(declarator), depth);
            case BTF_KIND_TYPE_TAG: return of(type->type, std::move(declarator), depth + 1);
            case BTF_KIND_ARRAY: {
                const auto* array = btf_array(type);
                return of(array->type, std::move(declarator) + "[" + std::to_string(array->nelems) + "]", depth + 1);
            }
            case BTF_KIND_FUNC_PROTO:
                return of(type->type, std::move(declarator) + parameters(*type, depth + 1), depth + 1);
            case BTF_KIND_STRUCT: return join("struct " + name_of(*type), declarator);
            case BTF_KIND_UNION: return join("union " + name_of(*type), declarator);
            case BTF_KIND_FWD: return join((btf_kflag(type) ? "union " : "struct ") + name_of(*type), declarator);
            case BTF_KIND_ENUM:
            case BTF_KIND_ENUM64: return join("enum " + name_of(*type), declarator);
            default: return join(name_of(*type), declarator);
        }
    }

    std::string parameters(const btf_type& proto, int depth) const {
        const auto count = btf_vlen(&proto);
        if (count == 0) return "(void)";
        std::string text = "(";
        const auto* parameter = btf_params(&proto);
        for (unsigned index = 0; index < count; ++index, ++parameter) {
            if (index != 0) text += ", ";
            if (++steps_ > most_steps) {
                text += unknown;
                break;
            }
            if (parameter->type == 0 && parameter->name_off == 0) {
                text += "...";
            } else {
                text += of(parameter->type, text_at(parameter->name_off), depth);
            }
        }
        return text + ")";
    }

    std::string text_at(std::uint32_t offset) const {
        const auto* text = btf__name_by_offset(&types_, offset);
        if (text == nullptr) return {};
        const auto size = std::min(strnlen(text, longest_type_name), names_left_);
        names_left_ -= size;
        return std::string(text, size);
    }

  private:
    static std::string join(std::string_view type, const std::string& declarator) {
        std::string text(type);
        if (!declarator.empty() && declarator.front() != '[') text += ' ';
        return text + declarator;
    }

    std::string name_of(const btf_type& type) const {
        auto name = text_at(type.name_off);
        return name.empty() ? "{...}" : name;
    }

    // A qualifier of a pointer stands behind its star, that of anything else in front.
    std::string qualified(std::string_view word, const btf_type& type, std::string declarator, int depth) const {
        if (leads_to_pointer(type.type)) {
            return of(type.type, declarator.empty() ? std::string(word) : std::string(word) + " " + declarator,
                      depth + 1);
        }
        return std::string(word) + " " + of(type.type, std::move(declarator), depth + 1);
    }

    bool leads_to_pointer(std::uint32_t id) const {
        for (int depth = 0; depth < deepest; ++depth) {
            const auto* type = btf__type_by_id(&types_, id);
            if (type == nullptr || !(btf_is_mod(type) || btf_kind(type) == BTF_KIND_TYPE_TAG)) {
                return type != nullptr && btf_is_ptr(type);
            }
            id = type->type;
        }
        return false;
    }

    // A star in front of an array or a function needs brackets: int (*p)[4].
    std::string pointer_to(std::uint32_t id, std::string declarator) const {
        const auto* type = btf__type_by_id(&types_, id);
        const bool binds = type != nullptr && (btf_is_array(type) || btf_is_func_proto(type));
        return binds ? "(" + declarator + ")" : declarator;
    }

    const btf& types_;
    mutable int steps_ = 0;
    mutable std::size_t names_left_ = most_name_bytes;
};

std::string_view linkage(const btf_type& function) {
    switch (btf_vlen(&function)) {  // a FUNC keeps its linkage where other kinds keep a count
        case BTF_FUNC_STATIC: return "static ";
        case BTF_FUNC_EXTERN: return "extern ";
        default: return "";
    }
}

}  // namespace

std::string btf_function_declaration(const btf& types, std::uint32_t id) {
    const auto* function = btf__type_by_id(&types, id);
    if (function == nullptr || !btf_is_func(function)) return {};
    const auto* proto = btf__type_by_id(&types, function->type);
    if (proto == nullptr || !btf_is_func_proto(proto)) return {};
    const Declaration declaration(types);
    auto name = declaration.text_at(function->name_off);
    return std::string(linkage(*function)) +
           declaration.of(proto->type, std::move(name) + declaration.parameters(*proto, 1), 1);
}

}  // namespace perfdata
