// SPDX-License-Identifier: MIT
// Counts as the C API hands them out.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/profile/event_count.hpp"

#include "call.hpp"

namespace perfdata::c {

static_assert(sizeof(EventCount) == sizeof(perfdata_count) && alignof(EventCount) == alignof(perfdata_count) &&
              offsetof(EventCount, hits) == offsetof(perfdata_count, hits) &&
              offsetof(EventCount, periods) == offsetof(perfdata_count, periods));

// The two are the same but for their names.
inline const perfdata_count* counts_of(std::span<const EventCount> cells) {
    return reinterpret_cast<const perfdata_count*>(cells.data());
}

// Document is a text that the first question makes. Many threads may ask.
class Document {
  public:
    // write(sink) writes the text.
    template <class Write>
    void get(const char** text, std::size_t* length, Write&& write) const {
        if (text == nullptr || length == nullptr) refuse_argument("text, length", "one of them is null");
        const std::scoped_lock lock(mutex_);
        if (!text_) {
            std::string made;
            write([&](std::string_view part) { made += part; });
            text_ = std::move(made);
        }
        *text = text_->c_str();
        *length = text_->size();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::optional<std::string> text_;
};

}  // namespace perfdata::c
