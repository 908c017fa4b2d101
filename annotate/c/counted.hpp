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
#include "control.hpp"

namespace perfdata::c {

static_assert(sizeof(EventCount) == sizeof(perfdata_count) && alignof(EventCount) == alignof(perfdata_count) &&
              offsetof(EventCount, hits) == offsetof(perfdata_count, hits) &&
              offsetof(EventCount, periods) == offsetof(perfdata_count, periods));

// The two are the same but for their names.
inline const perfdata_count* counts_of(std::span<const EventCount> cells) {
    return reinterpret_cast<const perfdata_count*>(cells.data());
}

// Document is a text that the first question makes. Many threads may ask: those that do so before there is a text make
// it, each its own, so that none waits for another that is stopped, or for its own callback; the first to be done
// counts.
class Document {
  public:
    // write(sink) writes the text.
    template <class Write>
    void get(const perfdata_control* given, const char** text, std::size_t* length, Write&& write) const {
        if (text == nullptr || length == nullptr) refuse_argument("text, length", "one of them is null");
        const Control control(given);
        if (!is_made()) {
            const auto tell = control.progress("writing JSON");
            std::string made;
            write([&](std::string_view part) {
                made += part;
                if (tell) tell(made.size(), 0);
                control.check();
            });
            const std::scoped_lock lock(mutex_);
            if (!text_) text_ = std::move(made);
        }
        // It never changes any more.
        *text = text_->c_str();
        *length = text_->size();
    }

  private:
    bool is_made() const {
        const std::scoped_lock lock(mutex_);
        return text_.has_value();
    }

    mutable std::mutex mutex_;
    mutable std::optional<std::string> text_;
};

}  // namespace perfdata::c
