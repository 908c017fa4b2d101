// SPDX-License-Identifier: MIT
// After the recording, an input may contain files for a command's options, each followed by a u32 size and four letters
// that name the option.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"

#include "memory_file.hpp"

namespace perfdata::fuzz {

class Beside {
  public:
    struct File {
        std::string_view name;
        std::unique_ptr<MemoryFile> file;
    };

    // take(input) removes the files from the end of the input.
    void take(Bytes& input) {
        constexpr std::size_t most_files = 3, mark_bytes = 8;
        while (files_.size() < most_files && input.size() >= mark_bytes) {
            const auto mark = input.last(mark_bytes);
            const auto name = as_text(mark.subspan(4));
            const auto size = AnyOrder(std::endian::little).load<std::uint32_t>(mark.data());
            if (!known(name) || size > input.size() - mark_bytes) break;
            input = input.first(input.size() - mark_bytes);
            files_.push_back({name, std::make_unique<MemoryFile>(input.last(size))});
            input = input.first(input.size() - size);
        }
    }
    const std::vector<File>& files() const { return files_; }

  private:
    static bool known(std::string_view name) {
        return name == "ksym" || name == "vmlx" || name == "kcor" || name == "jitd" || name == "btfs" || name == "reco";
    }

    std::vector<File> files_;
};

}  // namespace perfdata::fuzz
