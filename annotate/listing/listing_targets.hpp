// SPDX-License-Identifier: MIT
// Names for the targets of jumps, calls and loaded addresses.
#pragma once

#include <optional>

#include "perfdata/annotate/listing/listing.hpp"

namespace perfdata {

// ListingTargets serves one listing, whose name, range and image must be set. It names targets by the owner of their
// address while the code of the listing was alive. A profile file has the names that this gave when it was made.
class ListingTargets {
  public:
    ListingTargets(const Listing& listing, const Symbolizer& symbolizer);

    ListingTarget resolve(Address address) const;
    // function_at(address) returns the function that begins exactly there: callbacks are passed by address.
    std::optional<ListingTarget> function_at(Address address) const;

  private:
    Time alive_at() const;
    void in_kernel(ListingTarget& target) const;
    void in_jit(ListingTarget& target) const;
    void in_file(ListingTarget& target) const;
    void in_profile(ListingTarget& target) const;

    const Listing& listing_;
    const Symbolizer& symbolizer_;
    bool kernel_ = false;  // the code is in kernel space
    Time time_;
};

}  // namespace perfdata
