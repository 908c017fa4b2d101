// SPDX-License-Identifier: MIT
// What commands say on standard error, and how they end.
#include <fmt/format.h>
#include <new>
#include <string>
#include <string_view>

#include "format/loss_text.hpp"
#include "format/words.hpp"
#include "tool.hpp"
#include "tool/output/streams.hpp"
#include "tool/run_scope.hpp"

namespace perfdata::tool {

void complain(std::string_view message) noexcept try {
    say(fmt::format("perfdata: {}\n", printable(message)));
} catch (...) {
    complain_of_memory();
}
void complain(const Error& error) noexcept try {
    if (error.code == ErrorCode::out_of_memory) return complain_of_memory();
    complain(error.message());
} catch (...) {
    complain_of_memory();
}
void complain_of_memory() noexcept {
    say("perfdata: out of memory: this takes more than there is, or than --max-memory allows; choose less of the "
        "recording, with --time or --event where there are such\n");
}

void complain(const Common& common, std::string_view message) noexcept {
    if (common.scope == nullptr) return complain(message);
    try {
        common.scope->messages.emplace_back(message);
    } catch (const std::bad_alloc&) {
        common.scope->lacked_memory = true;
    }
}
void complain(const Common& common, const Error& error) noexcept {
    if (common.scope == nullptr) return complain(error);
    try {
        common.scope->take(error);
        common.scope->messages.push_back(error.message());
    } catch (const std::bad_alloc&) {
        common.scope->lacked_memory = true;
    }
}

void warn_losses(const Common& common, const Completeness& completeness) {
    if (common.quiet) return;
    constexpr std::size_t few = 10;
    const auto about = common.file == "-" ? std::string() : common.file + ": ";
    const auto& kept = completeness.diagnostics.kept();
    const auto shown = common.strict ? kept.size() : few;
    for (std::size_t index = 0; index < kept.size() && index < shown; ++index) {
        const auto message = kept[index].message();
        complain(common, fmt::format("warning: {}{}", message.starts_with(common.file) ? "" : about, message));
    }
    const auto count = completeness.diagnostics.count();
    if (count > shown)
        complain(common, fmt::format("warning: and {} more; see the completeness in --json", count - shown));
    // Where records or sections end early, the messages above have said it.
    if (common.strict && count == 0 && completeness.bytes.unread != 0) {
        complain(common, fmt::format("warning: {}{} bytes belong to no record and to no section: they were not read",
                                     about, completeness.bytes.unread));
    }
    if (recorder_lost(completeness)) {
        complain(common, fmt::format("warning: {}: {}", loss_lines(completeness).front(), loss_reason));
    }
}

int exit_code(const Common& common, const Completeness& completeness, bool other_losses) {
    if (common.scope != nullptr) common.scope->take(completeness, other_losses);
    return common.strict && (other_losses || !completeness.lossless()) ? losses : fine;
}

}  // namespace perfdata::tool
