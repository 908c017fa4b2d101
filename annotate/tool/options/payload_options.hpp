// SPDX-License-Identifier: MIT
// The options for what BPF programs wrote.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "btf/payload_types.hpp"
#include "script/script_fields.hpp"

namespace perfdata::tool {

struct PayloadChoice {
    std::vector<std::string> types;
    std::string file;
    bool bytes = false;

    void add_to(CLI::App& command);

    // no_effect(recording, fields) says that --bpf-output-type and --btf change nothing that is shown: the recording
    // has no payloads, or the fields (null: all, as in JSON) do not have them. Empty if they do, or are not given.
    std::string no_effect(const Recording& recording, const FieldChoice* fields) const;

    // open(recording, features) reads the types; nothing if bytes show payloads, or there are none. The
    // features must outlive the result. Errors: those of PayloadTypes and read_btf().
    Result<std::optional<PayloadTypes>> open(const Recording& recording, const BpfFeatures& features) const;
};

}  // namespace perfdata::tool
