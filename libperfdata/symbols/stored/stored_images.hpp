// SPDX-License-Identifier: MIT
// The code of versions of functions in a profile file, and what it names.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/known_target.hpp"

#include "recording/stored/model.hpp"

namespace perfdata {

// A question is a binary search.
class StoredImages {
  public:
    // The model must outlive it.
    explicit StoredImages(const stored::Model& model) : model_(model) {}

    // Returns the code of a version. Errors: those that were when the profile was made; missing: it was not kept.
    Result<CodeImage> image(stored::Ref<stored::Function> function, std::uint32_t number) const;
    std::optional<KnownTarget> target(stored::Ref<stored::Function> function, std::uint32_t number, Address address,
                                      TargetUse use) const;

  private:
    const stored::Version* version(stored::Ref<stored::Function> function, std::uint32_t number) const;

    const stored::Model& model_;
};

}  // namespace perfdata
