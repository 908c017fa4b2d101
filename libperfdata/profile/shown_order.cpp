// SPDX-License-Identifier: MIT
#include "shown_order.hpp"

#include <algorithm>
#include <tuple>

namespace perfdata {

ShownOrder::Key ShownOrder::key(const CodeVersion& version, bool named) const {
    Key key;
    key.version = version;
    const auto& function = version.function;
    if (index_ != nullptr) key.shown = index_->shown_name(function);
    if (function.is_code()) {
        const auto& code = timeline_.code()[function.index];
        if (index_ == nullptr) key.shown.symbol = code.symbol;
        // Listings show [bpf:ID]: the numbers are compared as such.
        key.shown.object = code.kind == CodeKind::out_of_line ? "[kernel]" : "[bpf]";
        if (code.load) key.program = timeline_.loads()[*code.load].id.value;
    }
    if (!named) key.shown.symbol = {};
    if (function.kind == FrameKind::object) {
        const auto& object = timeline_.tasks().objects()[function.index];
        key.path = object.path;
        if (object.inode) key.inode = *object.inode;
        if (object.build_id) {
            key.build_id = &*object.build_id;
        } else if (const auto of_path = timeline_.build_ids().find(object.path);
                   of_path != timeline_.build_ids().end()) {
            key.build_id = &of_path->second;
        }
    }
    return key;
}

namespace {

// Any number of functions may share a long name.
std::strong_ordering compare(std::string_view one, std::string_view other) {
    const bool same = one.data() == other.data() && one.size() == other.size();
    return same ? std::strong_ordering::equal : one <=> other;
}

}  // namespace

bool ShownOrder::before(const Key& one, const Key& other) {
    if (const auto by = compare(one.shown.name(), other.shown.name()); by != 0) return by < 0;
    if (const auto by = compare(one.shown.object, other.shown.object); by != 0) return by < 0;
    const auto where = [](const Key& key) {
        const auto& version = key.version;
        return std::tuple(key.program, version.address.value_or(Address{}), version.from, version.function.kind);
    };
    if (const auto by = where(one) <=> where(other); by != 0) return by < 0;
    if (const auto by = compare(one.path, other.path); by != 0) return by < 0;
    const auto id = [](const Key& key) { return key.build_id == nullptr ? Bytes() : key.build_id->bytes(); };
    const auto a = id(one), b = id(other);
    const auto by = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    if (by != 0) return by < 0;
    const auto place = [](const Key& key) {
        const auto& [function, inode] = std::pair(key.version.function, key.inode);
        return std::tuple(function.offset, key.version.number, inode.major, inode.minor, inode.number, inode.generation,
                          function.index, function.mode);
    };
    return place(one) < place(other);
}

}  // namespace perfdata
