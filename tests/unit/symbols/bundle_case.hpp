// SPDX-License-Identifier: MIT
// Bundles in memory, for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/tar.hpp"
#include "unit/symbols/elf_case.hpp"

namespace perfdata::test {

inline const std::string bundle_path = "/home/me/it.bundle";

inline std::shared_ptr<const Source> owned(Blob blob) {
    return std::make_shared<OwnedSource>(std::move(blob));
}

inline Blob fixture_data() {
    return content_of_file(fixture("bpf/bpf_events.data"));
}

inline std::string index_of(std::string_view members, std::string_view more = {}) {
    return R"({"perfdata_bundle": 1, "recording": "perf.data", "members": [)" + std::string(members) +
           R"(], "missing": [], "left_out": {}, "debug": "lines", "sources": false)" + std::string(more) + "}";
}

inline std::string listed(const std::string& name, Bytes content, std::string_view more = {}) {
    return R"({"name": ")" + name + R"(", "size": )" + std::to_string(content.size()) + R"(, "sha256": ")" +
           sha256_of(*memory_source(content)).value() + R"(", "kind": "object")" + std::string(more) + "}";
}

// named(names) lists members without saying more of them.
inline std::string named(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + (R"({"name": ")" + name + R"("})");
    return all;
}

// Opened is a bundle, or why it is none.
struct Opened {
    Result<Shared<const Bundle>> bundle;

    explicit Opened(Blob blob, const Limits& limits = {})
        : bundle(Bundle::open(owned(std::move(blob)), bundle_path, limits)) {}
    explicit Opened(const Tar& tar, const Limits& limits = {}) : Opened(tar.blob(), limits) {}

    std::string error() const {
        REQUIRE_FALSE(bundle);
        return bundle.error().message();
    }
    std::string problems() const {
        REQUIRE(bundle);
        std::string all;
        for (const auto& problem : (*bundle)->problems()) all += problem.message() + "\n";
        return all;
    }
    // text(name) returns the content of a member, or the error.
    std::string text(std::string_view name) const {
        REQUIRE(bundle);
        const auto source = (*bundle)->content(name);
        if (!source) return std::string(to_string(source.error().code));
        return read_whole(**source, 1 << 24).value();
    }
};

inline Tar simple() {
    Tar tar;
    tar.file("perf.data", fixture_data());
    tar.file("bundle.json", blob_of(index_of(named({"perf.data", ".build-id/01/02/elf"}))));
    tar.file(".build-id/01/02/elf", blob_of("content"));
    return tar;
}

inline Blob packed(std::vector<std::pair<std::string, Blob>> files) {
    std::vector<PackedMember> members;
    for (auto& [name, content] : files) members.push_back({name, owned(std::move(content))});
    Blob made;
    REQUIRE(pack_members(members, [&](Bytes bytes) { made.insert(made.end(), bytes.begin(), bytes.end()); }));
    return made;
}

}  // namespace perfdata::test
