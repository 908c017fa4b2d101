// SPDX-License-Identifier: MIT
#include "type_description.hpp"

#include <algorithm>
#include <utility>

namespace perfdata {
namespace {

class Description {
  public:
    Description(const TypeTable& types, std::size_t most) : types_(types), most_(most) {}

    bool add(std::uint32_t id, int depth = 0) {
        if (depth > TypeTable::deepest || text_.size() > most_) return false;
        const auto type = types_.solid(id);
        if (!type) return false;
        put(static_cast<std::uint64_t>(type->kind));
        put(type->name);
        switch (type->kind) {
            case BtfKind::pointer: return true;  // to whatever: the value is an address
            case BtfKind::array: {
                const auto elements = types_.elements(*type);
                put(elements.count);
                return add(elements.type, depth + 1);
            }
            case BtfKind::structure:
            case BtfKind::union_type: return add_members(*type, depth);
            default: break;
        }
        put(type->word);
        put(type->flag ? 1 : 0);
        if (type->kind == BtfKind::integer) {
            for (const auto byte : type->rest) put(std::to_integer<std::uint64_t>(byte));
        }
        for (std::size_t index = 0; type->is_enumeration() && index < type->count; ++index) {
            const auto [name, value] = types_.enumerator_at(*type, index);
            if (text_.size() > most_) return false;
            put(name);
            put(value);
        }
        return true;
    }
    bool fits() const { return text_.size() <= most_; }
    std::size_t size() const { return text_.size(); }
    std::string take() { return std::move(text_); }

  private:
    bool add_members(const TypeEntry& record, int depth) {
        put(record.word);
        put(record.count);
        for (std::size_t index = 0; index < record.count; ++index) {
            const auto member = types_.member(record, index);
            put(member.name);
            put(member.bit_offset);
            put(member.bits);
            if (!add(member.type, depth + 1)) return false;
        }
        return true;
    }
    void put(std::uint64_t number) {
        text_ += std::to_string(number);
        text_ += ' ';
    }
    void put(std::string_view name) {
        put(name.size());
        text_ += name;
    }

    const TypeTable& types_;
    std::size_t most_;
    std::string text_;
};

}  // namespace

std::optional<std::string> describe_type(const TypeTable& types, std::uint32_t id, std::size_t most,
                                         std::size_t& room) {
    Description description(types, std::min(most, room));
    const bool whole = description.add(id) && description.fits();
    room -= std::min(room, description.size());
    if (!whole) return {};
    return description.take();
}

}  // namespace perfdata
