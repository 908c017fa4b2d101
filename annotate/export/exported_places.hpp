// SPDX-License-Identifier: MIT
// Names, addresses and lines of the nodes of counted chains.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "perfdata/profile/intern_table.hpp"

#include "exported.hpp"
#include "heat/place_lines.hpp"

namespace perfdata {

// ExportedPlaces fills nodes, places, functions and objects of an Exported from its counts.
//
// What was inlined is a node of its own below the node of the code that contains it. Its line depends on that code, so
// both are told apart by the containing address:
//
//     chain      main+0x20            main+0x20 / parse      main+0x20 / parse / skip      (the last two inlined)
//     line of    call of parse        call of skip           the line of the address
//
// The address of a caller is where the call returns to. The line is that of the byte before, which is in the call.
class ExportedPlaces {
  public:
    ExportedPlaces(const Symbolizer& symbolizer, const ExportedOptions& options, Exported& exported);

    // Errors: cancelled.
    Result<void> make();

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // Site is an address in a chain.
    struct Site {
        std::uint32_t frame = 0;  // number in the counts, of code that is not inlined
        bool returns = false;     // a call returns there

        bool operator==(const Site&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{frame} << 1 | (returns ? 1u : 0u)); }
    };
    // Key tells places apart.
    struct Key {
        std::uint32_t site = 0;   // number in sites_
        std::uint32_t frame = 0;  // number in the counts
        std::uint32_t depth = 0;  // how many calls were inlined around it; 0: the code itself

        bool operator==(const Key&) const = default;
        std::uint64_t hash(const HashKey& key) const {
            return key(std::uint64_t{site} << 32 | frame, std::uint64_t{depth});
        }
    };
    // Lines is what is known of a site: the line of the address, and the calls that were inlined there.
    struct Lines {
        SourceLine source;
        InlinedCalls inlined;
    };

    void find_sites();
    void make_places();
    bool read_lines();
    bool read_function_lines();
    void set_line(const Key& key, ExportPlace& place) const;
    bool is_before_call(const Frame& frame) const;
    Frame asked(const Site& site) const;

    std::uint32_t function_of(std::uint32_t frame);
    std::uint32_t object_of(const Frame& frame, const FrameName& name);
    std::uint32_t add_object(ExportObject object);
    ExportObject described(const Frame& frame, const FrameName& name) const;
    std::string function_name(const Frame& frame, const FrameName& name, const ExportObject& object) const;
    AddressOf addresses_of(const Frame& frame) const;
    std::uint64_t address_of(const Frame& frame) const;

    const Symbolizer& symbolizer_;
    const ExportedOptions& options_;
    Exported& exported_;
    PlaceLines lines_;

    InternTable<Site> sites_;
    InternTable<Key> keys_;
    std::vector<Lines> lines_of_site_;
    std::vector<std::uint32_t> function_of_frame_;  // by number of the frame; none: not yet
    std::vector<Frame> function_frames_;            // by function: its first byte, or a frame that is_nowhere()
    // Trees: log n each, whatever names a file chooses.
    std::map<std::tuple<std::string_view, std::uint32_t>, std::uint32_t> functions_;    // by symbol and object
    std::map<std::tuple<std::string, std::string, CodeClass>, std::uint32_t> objects_;  // by path, build id and kind
    std::map<std::uint32_t, std::uint32_t> object_of_load_, object_of_index_;           // BPF programs, mapped files
};

}  // namespace perfdata
