// SPDX-License-Identifier: MIT
#include "output_way.hpp"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/platform.hpp"
#include "output_place.hpp"

namespace perfdata::tool {
namespace {

// Where user namespaces do not map a user, all such owners seem to be this one: it proves nothing.
constexpr std::uint32_t unmapped_user = 65534;

// True for a link that another user put where everybody may put one.
bool is_foreign_link(const std::string& directory, const platform::FileStatus& link) {
    constexpr std::uint32_t sticky_and_writable = 01002;
    const auto status = platform::status(directory);
    if (!status || (status->permissions & sticky_and_writable) != sticky_and_writable) return false;
    if (link.owner == platform::user_id()) return false;
    return link.owner != status->owner || link.owner == unmapped_user;
}

// Way goes along a path as the kernel does.
//
//   gone along    parts left, the next one last
//   /tmp/         file  link     `link` leads to ../home/me
//   /tmp/         file  me  home  ..
//   /home/me/     file
//
// There is no link in what it has gone along: `..` removes its last part.
class Way {
  public:
    explicit Way(const std::string& path) { put_in_front(path); }

    bool at_end() const { return parts_.empty(); }

    // Goes one part further. Returns an errno, or 0; is_foreign() then tells if that was another user's link.
    int step() {
        const auto part = std::move(parts_.back());
        parts_.pop_back();
        if (part == "..") {
            up();
            return 0;
        }
        const auto next = along_ + part;
        const auto status = platform::link_status(next);
        const bool is_there = status || (status.error() != ENOENT && status.error() != ENOTDIR);
        if (!status && is_there) return status.error();
        if (!is_there || status->kind != platform::FileKind::link) {
            along_ = next + "/";
            return 0;
        }
        is_foreign_ = is_foreign_link(along_.empty() ? "." : along_, *status);
        if (is_foreign_) return 0;
        constexpr int most_links = 40;  // same as Linux
        if (++links_ > most_links) return ELOOP;
        std::error_code problem;
        const auto target = std::filesystem::read_symlink(next, problem).string();
        if (problem) return problem.value();
        put_in_front(target);
        return 0;
    }

    bool is_foreign() const { return is_foreign_; }

  private:
    void put_in_front(std::string_view path) {
        if (path.starts_with('/')) along_ = "/";
        for (auto end = path.size(); end != 0;) {
            const auto slash = path.rfind('/', end - 1);
            const auto begin = slash == std::string_view::npos ? 0 : slash + 1;
            const auto part = path.substr(begin, end - begin);
            if (!part.empty() && part != ".") parts_.emplace_back(part);
            end = slash == std::string_view::npos ? 0 : slash;
        }
    }

    // From the directory where it began, and above, it goes on by name.
    void up() {
        if (along_ == "/") return;
        if (along_.empty() || along_ == "../" || along_.ends_with("/../")) {
            along_ += "../";
            return;
        }
        along_.pop_back();
        along_.resize(along_.rfind('/') + 1);  // npos + 1 is 0
    }

    std::string along_;               // with a slash at its end; empty: where it began
    std::vector<std::string> parts_;  // the next one last
    int links_ = 0;
    bool is_foreign_ = false;
};

}  // namespace

Result<void> check_output_way(const std::string& name) {
    for (Way way(name); !way.at_end();) {
        if (const int problem = way.step()) return cannot_write(name, problem);
        if (way.is_foreign()) {
            return fail(ErrorCode::io, Error::no_offset, name,
                        "cannot write: a link of another user leads there, from a directory where everybody may put "
                        "one");
        }
    }
    return {};
}

}  // namespace perfdata::tool
