// SPDX-License-Identifier: MIT
#include "btf_declaration.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace perfdata {
namespace {

// Bounds for damaged files: their types may refer to themselves, and branch while doing so.
constexpr int deepest = 32;
constexpr int most_steps = 128;
constexpr std::size_t longest_type_name = 512;
constexpr std::size_t most_name_bytes = 4096;
constexpr std::string_view unknown = "?";

// Declares `declarator` ("v", "*v", "(*f)(int)") with a type, from the inside out as in C.
class Declaration {
  public:
    explicit Declaration(const BtfTypes& types) : types_(types) {}

    std::string of(std::uint32_t id, std::string declarator, int depth = 0) const {
        using Kind = BtfType::Kind;
        if (id == 0) return join("void", declarator);
        const auto type = types_.type(id);
        if (!type || depth > deepest || ++steps_ > most_steps) return join(unknown, declarator);
        switch (type->kind) {
            case Kind::pointer: return of(type->type, pointer_to(type->type, "*" + std::move(declarator)), depth + 1);
            case Kind::constant: return qualified("const", type->type, std::move(declarator), depth);
            case Kind::is_volatile: return qualified("volatile", type->type, std::move(declarator), depth);
            case Kind::restricted: return qualified("restrict", type->type, std::move(declarator), depth);
            case Kind::tag: return of(type->type, std::move(declarator), depth + 1);
            case Kind::array: {
                const auto array = types_.array(id);
                return of(array.type, std::move(declarator) + "[" + std::to_string(array.count) + "]", depth + 1);
            }
            case Kind::prototype:
                return of(type->type, std::move(declarator) + parameters(id, type->count, depth + 1), depth + 1);
            case Kind::structure: return join("struct " + name_of(*type), declarator);
            case Kind::union_type: return join("union " + name_of(*type), declarator);
            case Kind::forward: return join((type->is_union ? "union " : "struct ") + name_of(*type), declarator);
            case Kind::enumeration: return join("enum " + name_of(*type), declarator);
            case Kind::named:
            case Kind::function: return join(name_of(*type), declarator);
        }
        return join(unknown, declarator);
    }

    std::string parameters(std::uint32_t prototype, std::uint32_t count, int depth) const {
        if (count == 0) return "(void)";
        std::string text = "(";
        for (std::uint32_t index = 0; index < count; ++index) {
            if (index != 0) text += ", ";
            if (++steps_ > most_steps) {
                text += unknown;
                break;
            }
            const auto parameter = types_.parameter(prototype, index);
            if (parameter.type == 0 && parameter.name == 0) {
                text += "...";
            } else {
                text += of(parameter.type, text_at(parameter.name), depth);
            }
        }
        return text + ")";
    }

    std::string text_at(std::uint32_t offset) const {
        const auto text = types_.text(offset, std::min(longest_type_name, names_left_));
        names_left_ -= text.size();
        return std::string(text);
    }

  private:
    static std::string join(std::string_view type, const std::string& declarator) {
        std::string text(type);
        if (!declarator.empty() && declarator.front() != '[') text += ' ';
        return text + declarator;
    }

    std::string name_of(const BtfType& type) const {
        auto name = text_at(type.name);
        return name.empty() ? "{...}" : name;
    }

    // The qualifier of a pointer follows its star; that of any other type precedes it.
    std::string qualified(std::string_view word, std::uint32_t id, std::string declarator, int depth) const {
        if (leads_to_pointer(id)) {
            return of(id, declarator.empty() ? std::string(word) : std::string(word) + " " + declarator, depth + 1);
        }
        return std::string(word) + " " + of(id, std::move(declarator), depth + 1);
    }

    bool leads_to_pointer(std::uint32_t id) const {
        for (int depth = 0; depth < deepest; ++depth) {
            const auto type = types_.type(id);
            if (!type || !type->is_qualifier()) return type && type->kind == BtfType::Kind::pointer;
            id = type->type;
        }
        return false;
    }

    // A pointer to an array or a function needs parentheses: int (*p)[4].
    std::string pointer_to(std::uint32_t id, std::string declarator) const {
        const auto type = types_.type(id);
        const bool binds = type && (type->kind == BtfType::Kind::array || type->kind == BtfType::Kind::prototype);
        return binds ? "(" + declarator + ")" : declarator;
    }

    const BtfTypes& types_;
    mutable int steps_ = 0;
    mutable std::size_t names_left_ = most_name_bytes;
};

std::string_view word_of(BtfType::Linkage linkage) {
    switch (linkage) {
        case BtfType::Linkage::internal: return "static ";
        case BtfType::Linkage::external: return "extern ";
        case BtfType::Linkage::global: break;
    }
    return "";
}

}  // namespace

std::string btf_function_declaration(const BtfTypes& types, std::uint32_t id) {
    const auto function = types.type(id);
    if (!function || function->kind != BtfType::Kind::function) return {};
    const auto prototype = types.type(function->type);
    if (!prototype || prototype->kind != BtfType::Kind::prototype) return {};
    const Declaration declaration(types);
    auto name = declaration.text_at(function->name);
    return std::string(word_of(function->linkage)) +
           declaration.of(prototype->type,
                          std::move(name) + declaration.parameters(function->type, prototype->count, 1), 1);
}

}  // namespace perfdata
