// SPDX-License-Identifier: MIT
// A further file of a directory recording.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// DataFile is a file data.N, and how it is opened.
struct Recording::DataFile {
    std::uint32_t number = 0;
    std::string name;
    std::function<Result<std::shared_ptr<const Source>>()> open;
};

}  // namespace perfdata
