// SPDX-License-Identifier: MIT
// The objects of a profile, with what is said of their files.
#pragma once

#include <cstdint>
#include <map>

#include "perfdata/timeline/mapping.hpp"

#include "making.hpp"

namespace perfdata {

// MadeObjects adds an object when something first refers to it: only these files are opened.
class MadeObjects {
  public:
    explicit MadeObjects(Making& making) : making_(making) {}

    stored::Ref<stored::Object> of(ObjectIndex index);
    // Returns an offset in an object as profiles count it: that in the kernel is behind where its text began.
    std::uint64_t offset_in(ObjectIndex index, std::uint64_t offset) const;

  private:
    stored::Object described(ObjectIndex index);
    std::uint64_t base_of(ObjectIndex index) const;
    void add_file(stored::ObjectFile& file, ObjectIndex index);

    Making& making_;
    std::map<ObjectIndex, stored::Ref<stored::Object>> rows_;
};

}  // namespace perfdata
