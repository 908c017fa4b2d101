// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>

#include "filter.hpp"
#include "sample_reader.hpp"

namespace perfdata::c {
namespace {

class SamplesObject final : public Object {
  public:
    using Handle = perfdata_samples;
    static constexpr auto handle_kind = Kind::samples;
    static constexpr const char* handle_name = "perfdata_samples";

    template <class... Args>
    explicit SamplesObject(Args&&... args) : Object(handle_kind), reader(std::forward<Args>(args)...) {}

    SampleReader reader;
    Strings strings;
    std::atomic_flag in_use;
};

// InUse ends the call if another one, maybe the one around it, uses the handle.
class InUse {
  public:
    explicit InUse(SamplesObject& samples) : flag_(samples.in_use) {
        if (flag_.test_and_set(std::memory_order_acquire)) {
            refuse(PERFDATA_BUSY, SamplesObject::handle_name, "another call uses the handle");
        }
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() { flag_.clear(std::memory_order_release); }

  private:
    std::atomic_flag& flag_;
};

// Calls body(samples) with the handle in use.
template <class Body>
perfdata_status with(const perfdata_samples* samples, perfdata_error* error, Body&& body) {
    return guarded(error, [&]() -> perfdata_status {
        const auto object = object_of<SamplesObject>(samples);
        const InUse use(*object);
        return body(*object);
    });
}

}  // namespace
}  // namespace perfdata::c

using namespace perfdata;
using namespace perfdata::c;

perfdata_status perfdata_samples_open(const perfdata_recording* recording, const perfdata_samples_options* options,
                                      perfdata_samples** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        auto of = object_of<RecordingObject>(recording);
        const auto given = options_of(options, "options");
        if (of->recording.is_profile()) refuse_argument("recording", "is a profile file, which has no single samples");
        std::shared_ptr<const CodeObject> code;
        if (given.code != nullptr) code = object_of<CodeObject>(given.code);
        if (code && code->recording_object != of) refuse_argument("code", "is of another recording");
        if (given.order > PERFDATA_ORDER_TIME) refuse_argument("order", "is none of PERFDATA_ORDER_...");
        auto filter = filter_of(given.filter, of->recording);
        if (!code && (filter.needs_comm() || !filter.code.empty())) {
            refuse_argument("filter", "has names, which need `code`");
        }
        return hand_out(place,
                        std::make_shared<SamplesObject>(std::move(of), std::move(code), std::move(filter),
                                                        given.order == PERFDATA_ORDER_TIME, Control(given.control)));
    });
}

perfdata_status perfdata_samples_free(perfdata_samples* samples) {
    return free_handle<SamplesObject>(samples);
}

perfdata_status perfdata_samples_read(perfdata_samples* samples, perfdata_sample* items, size_t item_size,
                                      size_t capacity, size_t* count, perfdata_error* error) {
    if (count != nullptr) *count = 0;
    return with(samples, error, [&](SamplesObject& object) -> perfdata_status {
        if (count == nullptr) refuse_argument("count", "is null");
        if (items == nullptr) refuse_argument("items", "is null");
        if (item_size < first_size<perfdata_sample> || item_size % alignof(perfdata_sample) != 0) {
            refuse_argument("item_size", "is not that of perfdata_sample");
        }
        if (capacity == 0) refuse_argument("capacity", "is 0");
        if (capacity > SIZE_MAX / item_size) refuse_argument("capacity", "is more than any memory has");
        object.reader.check();
        object.reader.forget();
        auto* out = reinterpret_cast<std::byte*>(items);
        perfdata_sample sample;
        for (; *count < capacity; out += item_size) {
            if (!object.reader.next(sample)) break;
            std::memcpy(out, &sample, std::min(item_size, sizeof(sample)));
            ++*count;
        }
        return *count == 0 ? PERFDATA_END : PERFDATA_OK;
    });
}

perfdata_status perfdata_samples_chain(perfdata_samples* samples, const perfdata_frame** frames, size_t* count,
                                       perfdata_error* error) {
    if (frames != nullptr) *frames = nullptr;
    if (count != nullptr) *count = 0;
    return with(samples, error, [&](SamplesObject& object) -> perfdata_status {
        if (frames == nullptr || count == nullptr) refuse_argument("frames, count", "one of them is null");
        const auto* chain = object.reader.chain();
        if (chain == nullptr) refuse(PERFDATA_MISSING, "samples", "no sample was read, or none is left");
        *frames = chain->data();
        *count = chain->size();
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_samples_place(perfdata_samples* samples, uint32_t function, perfdata_place* place,
                                       perfdata_error* error) {
    return with(samples, error, [&](SamplesObject& object) -> perfdata_status {
        check_filled(place, "place");
        const auto& [frame, named] = element(object.reader.functions(), function, "function");
        auto made = object.reader.code()->place(frame, object.strings, named);
        made.offset = 0;
        fill(place, made, "place");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_samples_get_state(perfdata_samples* samples, perfdata_samples_state* state,
                                           perfdata_error* error) {
    return with(samples, error, [&](SamplesObject& object) -> perfdata_status {
        const auto& reader = object.reader;
        perfdata_samples_state made{};
        made.read = reader.read();
        made.filtered = reader.filtered();
        made.damaged = reader.damaged();
        made.function_count = reader.functions().size();
        made.problem_count = reader.problems().count();
        fill(state, made, "state");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_samples_problem(perfdata_samples* samples, uint64_t index, perfdata_error* problem,
                                         perfdata_error* error) {
    return with(samples, error, [&](SamplesObject& object) -> perfdata_status {
        check_filled(problem, "problem");
        const auto& log = object.reader.problems();
        if (index >= log.kept().size() && index < log.count()) {
            refuse(PERFDATA_MISSING, "index", "this loss was counted, but not kept");
        }
        tell(problem, element(log.kept(), index, "index"));
        return PERFDATA_OK;
    });
}
