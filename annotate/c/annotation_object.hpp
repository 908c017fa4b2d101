// SPDX-License-Identifier: MIT
// Listings behind a handle.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/page/page.hpp"
#include "perfdata/profile/profile.hpp"

#include "code_object.hpp"
#include "counted.hpp"

namespace perfdata::c {

class AnnotationObject final : public Object {
  public:
    using Handle = perfdata_annotation;
    static constexpr auto handle_kind = Kind::annotation;
    static constexpr const char* handle_name = "perfdata_annotation";

    // Takes long. Throws Failure.
    AnnotationObject(std::shared_ptr<const CodeObject> of, const perfdata_annotation_options& options);

    void write_json(const Sink& sink) const;

    const std::shared_ptr<const CodeObject> code;  // the listings have views of it
    Profile profile;
    std::vector<Listing> listings;
    std::vector<Unattributed> unattributed;
    Strings strings;
    Document json;

  private:
    // Returns the functions to list, by number.
    std::vector<std::uint32_t> choose(const perfdata_annotation_options& options, const Control& control) const;
    void note_unattributed(const std::vector<std::uint32_t>& chosen);
};

}  // namespace perfdata::c
