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

bool ShownOrder::before(const Key& one, const Key& other) {
    const auto seen = [](const Key& key) {
        const auto& version = key.version;
        return std::tuple(key.shown.name(), key.shown.object, key.program, version.address.value_or(Address{}),
                          version.from, version.function.kind, key.path);
    };
    const auto id = [](const Key& key) { return key.build_id == nullptr ? Bytes() : key.build_id->bytes(); };
    const auto place = [](const Key& key) {
        const auto& [function, inode] = std::pair(key.version.function, key.inode);
        return std::tuple(function.offset, key.version.number, inode.major, inode.minor, inode.number, inode.generation,
                          function.index, function.mode);
    };
    if (const auto by = seen(one) <=> seen(other); by != 0) return by < 0;
    const auto a = id(one), b = id(other);
    const auto by = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    return by != 0 ? by < 0 : place(one) < place(other);
}

}  // namespace perfdata
