// SPDX-License-Identifier: MIT
// The files of a bundle, as those of a directory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/symbol_miss.hpp"

namespace perfdata {

// BundleFiles is a file system in which a bundle is also a directory: Bundle::directory(). No name leads out of it, nor
// out of the root of a FileName. Other files are those of `beneath`.
class BundleFiles final : public FileSystem {
  public:
    BundleFiles(Shared<const Bundle> bundle, Shared<const FileSystem> beneath);

    // Returns why an object, or a debug file, was not found when the bundle was made: so it is told wherever the bundle
    // is read. Nothing if the index does not say.
    std::optional<SymbolMiss> miss(const std::string& path, Bytes build_id) const;

    // Returns the build id that the index has for a member, hexadecimal; empty if it has none.
    std::string said_build_id(const FileName& name) const;

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                     Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_watched(const FileName& name, const Limits& limits, Content content,
                                                       const Watch& watch) const override;
    Result<std::shared_ptr<const Source>> open_given_watched(const std::string& path, const Limits& limits,
                                                             Content content, const Watch& watch) const override;
    bool has(const FileName& name) const override;
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override;
    Result<std::string> read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                 const Watch& watch) const override;
    Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const override;
    Result<std::shared_ptr<const Source>> vdso() const override;
    std::optional<FileTime> modified(const FileName& name) const override;
    std::string shown(const std::string& path) const override;
    std::optional<FileIdentity> identity(const FileName& name) const override;

  private:
    // Returns the name of the member that a name means; nothing if it is a name beneath.
    std::optional<std::string> inside(const FileName& name) const;

    Shared<const Bundle> bundle_;
    Shared<const FileSystem> beneath_;
    std::string prefix_;
    std::map<std::pair<std::string_view, std::string_view>, SymbolMiss> misses_;  // by path and build id, hexadecimal
};

// Returns what BundleFiles::miss() says if these are the files of a bundle; else nothing.
std::optional<SymbolMiss> bundled_miss(const FileSystem& files, const std::string& path, Bytes build_id);

}  // namespace perfdata
