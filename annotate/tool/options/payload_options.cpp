// SPDX-License-Identifier: MIT
#include "payload_options.hpp"

#include <algorithm>
#include <utility>

#include "btf/btf_file.hpp"

namespace perfdata::tool {

void PayloadChoice::add_to(CLI::App& command) {
    auto* type =
        command
            .add_option("--bpf-output-type", types,
                        "Show the payloads of bpf_perf_event_output as this C type, by its name in BTF; several: "
                        "the one that has the payload's size. Without it a type is guessed where one struct has "
                        "that size")
            ->allow_extra_args(false)
            ->type_name("STRUCT");
    auto* btf =
        command
            .add_option("--btf", file,
                        "Take types of payloads from this file, not from the recording: BTF, or an ELF file with "
                        "it (a BPF object, a vmlinux)")
            ->type_name("FILE");
    command.add_flag("--bpf-output-bytes", bytes, "Show payloads as bytes only, as perf script does")
        ->excludes(type)
        ->excludes(btf);
}

Result<std::optional<PayloadTypes>> PayloadChoice::open(const Recording& recording, const BpfFeatures& features) const {
    constexpr std::uint64_t bpf_output = 10;  // PERF_COUNT_SW_BPF_OUTPUT
    const bool any = std::ranges::any_of(recording.events().events(), [](const Event& event) {
        return event.attr.type == attr_type::software && event.attr.config == bpf_output;
    });
    const bool asked = !types.empty() || !file.empty();
    if (bytes || (!any && !asked)) return std::optional<PayloadTypes>();
    const PayloadTypes::Options options{.names = types};
    auto result = [&]() -> Result<PayloadTypes> {
        if (file.empty()) return PayloadTypes::read(features, options);
        auto blob = read_btf(file, recording.limits());
        if (!blob) return fail(std::move(blob.error()));
        return PayloadTypes::read_file(std::move(*blob), file, options);
    }();
    if (!result) return fail(std::move(result.error()));
    return std::optional(std::move(*result));
}

}  // namespace perfdata::tool
