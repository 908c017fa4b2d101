// SPDX-License-Identifier: MIT
// The code of functions in a profile, with names for what it jumps to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/symbols/code_image.hpp"
#include "perfdata/timeline/code_versions.hpp"

#include "making.hpp"

namespace perfdata {

// WantedImage is a version of a function whose code the profile needs.
struct WantedImage {
    stored::Ref<stored::Function> function;
    CodeVersion version;
    std::uint64_t size = 0;  // set by MadeImages: bytes of the image, 0 without one
};

// MadeImages reads and disassembles code on several threads. A file may say that many functions share their bytes: so
// all images together have at most most_code bytes, and most_targets names of what is outside of them. The rest is left
// out, and the profile is partial.
class MadeImages {
  public:
    static constexpr std::uint64_t most_code = std::uint64_t{1} << 29;
    static constexpr std::size_t most_targets = std::size_t{1} << 24;

    // `arch` must outlive it.
    MadeImages(Making& making, std::string_view arch) : making_(making), arch_(arch) {}

    // Adds a row for each version, in their order. Errors: cancelled.
    Result<void> add(std::span<WantedImage> wanted);

  private:
    // Read is an image, and the names of what is outside of it.
    struct Read {
        struct Target {
            std::uint64_t address = 0, offset = 0;
            bool constant = false;
            std::string name;
        };
        Result<CodeImage> image = std::unexpected(Error{});
        std::vector<Target> targets;  // by address, then those that are no constants, each once
        bool cut = false;             // some targets are left out: their names are too long
    };

    // Returns how many of the versions to read at once: their code is in memory together.
    std::size_t batch(std::span<const WantedImage> wanted) const;
    void add_without(const WantedImage& wanted);

    void read_all(std::span<const WantedImage> wanted, std::vector<Read>& read) const;
    void add_row(WantedImage& wanted, Read&& read);
    stored::Image row(CodeImage&& image);

    Making& making_;
    std::string_view arch_;
    std::uint64_t code_left_ = most_code;
    std::size_t targets_left_ = most_targets;
};

}  // namespace perfdata
