// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "cost/case.hpp"

namespace perfdata::test {

std::string Files::write(const std::string& name, Bytes content) const {
    const auto path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
    return path.string();
}

}  // namespace perfdata::test
