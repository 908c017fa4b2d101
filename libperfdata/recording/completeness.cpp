// SPDX-License-Identifier: MIT
#include "perfdata/recording/completeness.hpp"

#include <algorithm>
#include <utility>

namespace perfdata {

void DiagnosticLog::add(Diagnostic diagnostic) {
    ++count_;
    if (kept_.size() < limit_) kept_.push_back(std::move(diagnostic));
}

void DiagnosticLog::append(const DiagnosticLog& other) {
    for (const auto& diagnostic : other.kept_) add(diagnostic);
    count_ += other.count_ - other.kept_.size();
}

std::uint64_t Completeness::lost_elsewhere() const {
    return lost_events - (counts_losses ? std::min(lost_events, lost_samples) : 0);
}

bool Completeness::lossless() const {
    if (bytes.unread != 0 || !diagnostics.empty()) return false;
    return std::ranges::all_of(records, [](const auto& entry) { return entry.second.damaged == 0; });
}

}  // namespace perfdata
