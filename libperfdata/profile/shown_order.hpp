// SPDX-License-Identifier: MIT
// The order of functions with equal counts.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// ShownOrder orders functions by what users see of them: name, object, address. Numbers of objects and of code are
// those of a recording, and others in a profile of it: they come last, where nothing else tells functions apart.
class ShownOrder {
  public:
    // Both must outlive it. Without an index only code of the timeline has names: those of the kernel.
    explicit ShownOrder(const Timeline& timeline, const FunctionIndex* index = nullptr)
        : timeline_(timeline), index_(index) {}

    // Key is what is compared. It lives as long as the index and the timeline.
    struct Key {
        ShownName shown;            // unnamed code: without a name
        std::uint32_t program = 0;  // number of the BPF program
        CodeVersion version;
        std::string_view path;  // of the mapped object, as the recording has it
        const BuildId* build_id = nullptr;
        FileInode inode;
    };

    // Returns the key of a version of a function.
    Key key(const CodeVersion& version, bool named = true) const;

    static bool before(const Key& one, const Key& other);

  private:
    const Timeline& timeline_;
    const FunctionIndex* index_;
};

}  // namespace perfdata
