// SPDX-License-Identifier: MIT
// Names for what code jumps to, calls, or takes the address of.
#pragma once

#include <optional>

#include "perfdata/annotate/listing/listing.hpp"

namespace perfdata {

// ListingTargets answers for one listing, whose name, range and image must be set. Targets are named by who owned their
// address while the code of the listing was alive.
class ListingTargets {
  public:
    ListingTargets(const Listing& listing, const Symbolizer& symbolizer);

    ListingTarget resolve(Address address) const;
    // function_at(address) is what begins exactly there: callbacks are passed like that.
    std::optional<ListingTarget> function_at(Address address) const;

  private:
    Time alive_at() const;
    void in_kernel(ListingTarget& target) const;
    void in_jit(ListingTarget& target) const;
    void in_file(ListingTarget& target) const;

    const Listing& listing_;
    const Symbolizer& symbolizer_;
    bool kernel_ = false;  // the code is at addresses of kernel space
    Time time_;
};

}  // namespace perfdata
