// SPDX-License-Identifier: MIT
// Reads every field of records and samples.
#pragma once

#include <string>

#include "perfdata/wire/record/fields.hpp"
#include "perfdata/wire/sample/fields.hpp"

#include "promise.hpp"

namespace perfdata::fuzz {

class FieldReader {
  public:
    explicit FieldReader(Touched& touched) : touched_(&touched) {}

    void operator()(std::string_view name, std::string_view value) { named(name).text(value); }
    void operator()(std::string_view name, Bytes value) { named(name).bytes(value); }
    void operator()(std::string_view name, Address value) { named(name).number(value.value); }
    void operator()(std::string_view name, Time value) { named(name).number(value.nanoseconds); }
    void operator()(std::string_view name, double value) { named(name).number(value > 0 ? 1 : 0); }
    template <std::integral T>
    void operator()(std::string_view name, T value) {
        named(name).number(static_cast<std::uint64_t>(value));
    }
    template <FieldArray T>
    void operator()(std::string_view name, const T& value) {
        named(name);
        for (std::size_t index = 0; index < value.size(); ++index) touched_->number(value[index]);
    }
    template <class Order>
    void operator()(std::string_view name, const AddressWords<Order>& value) {
        named(name);
        const auto visit = [&](Address address, CpuMode) { touched_->number(address.value); };
        (void)for_each_frame(value.words, CpuMode::unknown, visit);
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        named(name);
        for (std::size_t index = 0; index < count; ++index) at(index, *this);
    }

  private:
    Touched& named(std::string_view name) {
        require(!name.empty());
        return *touched_;
    }

    Touched* touched_;
};

}  // namespace perfdata::fuzz
