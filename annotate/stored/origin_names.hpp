// SPDX-License-Identifier: MIT
// Names for what code and lines are read from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "making.hpp"

namespace perfdata {

// OriginNames names origins that are pointers and numbers in a process. Two of them never have one name: a second one
// of the same path is called "path #2". Ask in the same order for the same names.
class OriginNames {
  public:
    explicit OriginNames(Making& making) : making_(making) {}

    // Returns the name of an origin of that kind; `path` is what to call it if it is new.
    stored::Ref<stored::Text> of(unsigned kind, std::uint64_t id, std::string_view path) {
        const auto [entry, is_new] = names_.try_emplace({kind, id});
        if (!is_new) return entry->second;
        std::string name(path);
        for (auto& copies = used_[{kind, name}]; ++copies > 1;) {
            name = std::string(path) + " #" + std::to_string(copies);
            if (used_.try_emplace({kind, name}, 1u).second) break;
        }
        return entry->second = making_.text(name);
    }

  private:
    Making& making_;
    std::map<std::pair<unsigned, std::uint64_t>, stored::Ref<stored::Text>> names_;
    std::map<std::pair<unsigned, std::string>, std::uint32_t> used_;
};

// origin_path(making, function) returns what the code of a function is of, for a name: the file in use, the tag of
// a BPF program, the jitdump.
std::string origin_path(const Making& making, const Frame& function);

}  // namespace perfdata
