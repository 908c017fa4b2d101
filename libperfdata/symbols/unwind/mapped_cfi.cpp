// SPDX-License-Identifier: MIT
#include "mapped_cfi.hpp"

namespace perfdata {
namespace {

bool has_debug_frame(const ElfFile& file) {
    return file.section(".debug_frame") != nullptr || file.section(".zdebug_frame") != nullptr;
}

}  // namespace

UnwindPlace MappedCfi::place(const Frame& frame) {
    const auto index = files_.index(frame.index);
    const auto found = files_.file(frame.index);
    if (!found) {
        // Code without a file, as a JIT compiler writes it into memory, may still have frame pointers.
        const bool file = found.error() != SymbolMiss::not_a_file;
        return {nullptr, 0, file ? StackEnd::no_file : StackEnd::no_unwind_info};
    }
    const auto vaddr = files_.symbols().vaddr(index, frame.offset);
    if (!vaddr) return {nullptr, 0, StackEnd::no_unwind_info};
    return {opened(index, **found), *vaddr, StackEnd::no_unwind_info, (*found)->file.get()};
}

std::shared_ptr<const ElfFile> MappedCfi::debug_read(ObjectIndex object) {
    const std::scoped_lock lock(mutex_);
    const auto known = opened_.find(files_.index(object).value);
    return known != opened_.end() && known->second->once.done() ? known->second->debug : nullptr;
}

const FileCfi* MappedCfi::opened(FileIndex index, const FoundObject& found) {
    Opened* one = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        auto& known = opened_[index.value];
        if (!known) known = std::make_unique<Opened>();
        one = known.get();
    }
    one->once([&] {
        auto debug = found.debug;
        // .debug_frame may have moved to a separate file, also of a program whose startup code has an .eh_frame.
        if (!has_debug_frame(*found.file) && (debug == nullptr || !has_debug_frame(*debug))) {
            debug = files_.finder().find_debug(files_.symbols().recorded(index), found, has_debug_frame).file;
        }
        auto& store = files_.finder().store();
        const auto content = store.content<Content>({found.file, debug});
        content->once([&] {
            auto cfi = std::make_unique<const FileCfi>(*found.file, debug.get(), limits_);
            if (cfi->has_any() || cfi->damage()) content->cfi = std::move(cfi);
        });
        one->content = content;
        one->debug = debug;
        store.trim();
    });
    return one->content->cfi.get();
}

}  // namespace perfdata
