// SPDX-License-Identifier: MIT
#include "payload_options.hpp"

#include <algorithm>
#include <utility>

#include "btf/btf_file.hpp"

namespace perfdata::tool {
namespace {

bool has_payloads(const Event& event) {
    constexpr std::uint64_t bpf_output = 10;  // PERF_COUNT_SW_BPF_OUTPUT
    return event.attr.type == attr_type::software && event.attr.config == bpf_output;
}

}  // namespace

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

std::string PayloadChoice::no_effect(const Recording& recording, const FieldChoice* fields) const {
    if (types.empty() && file.empty()) return {};
    const std::string option = types.empty() ? "--btf" : "--bpf-output-type";
    const auto& events = recording.events().events();
    if (std::ranges::none_of(events, has_payloads)) {
        return option + " changes nothing: this recording has no event bpf-output";
    }
    const auto shows = [&](const Event& event) {
        return has_payloads(event) && (fields->of(event.attr) & field_bpf_output) != 0;
    };
    if (fields == nullptr || std::ranges::any_of(events, shows)) return {};
    return option + " changes nothing: the fields are without bpf-output (-F +bpf-output)";
}

Result<std::optional<PayloadTypes>> PayloadChoice::open(const Recording& recording, const BpfFeatures& features) const {
    const bool any = std::ranges::any_of(recording.events().events(), has_payloads);
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
