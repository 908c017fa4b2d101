// SPDX-License-Identifier: MIT
#include "tasks_builder.hpp"

#include <algorithm>
#include <functional>

#include "merge_runs.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

bool is_data(const RecordContext& context) {
    return (context.view.header().misc >> 13 & 1) != 0;
}

bool same(const std::optional<Mmap2::Inode>& one, const std::optional<Mmap2::Inode>& other) {
    if (!one || !other) return one.has_value() == other.has_value();
    return one->number == other->number && one->generation == other->generation && one->major == other->major &&
           one->minor == other->minor;
}

bool same(const std::optional<BuildId>& one, const std::optional<BuildId>& other) {
    if (!one || !other) return one.has_value() == other.has_value();
    return one->size == other->size && one->value == other->value;
}

bool is_of_kernel(ObjectKind kind) {
    return kind == ObjectKind::kernel || kind == ObjectKind::module;
}

bool is_kernel_itself(std::string_view path) {
    return path.starts_with("[kernel.kallsyms]") || path.starts_with("[guest.kernel.");
}

std::uint64_t hash_of(std::string_view path, const Object& object) {
    const auto& key = HashKey::process();
    const auto inode = object.inode.value_or(Mmap2::Inode{});
    const auto id = object.build_id ? key.text(as_text(object.build_id->bytes())) : 0;
    return key(key.text(path), key(inode.number, inode.generation, std::uint64_t{inode.major} << 32 | inode.minor), id,
               static_cast<std::uint64_t>(object.kind));
}

}  // namespace

void TasksBuilder::expect(std::uint64_t bytes) {
    constexpr std::uint64_t bytes_a_record = 1024, most = std::uint64_t{1} << 18;
    const auto records = static_cast<std::size_t>(std::min({bytes / bytes_a_record, most, limits_.task_records}));
    changes_.reserve(records);
    mappings_.reserve(records);
}

bool TasksBuilder::room_for_more(std::uint64_t offset) {
    if (changes_.size() < limits_.task_records) return true;
    if (!full_) {
        full_ = true;
        diagnostics_.add(
            {ErrorCode::limit, offset, "timeline",
             "more than " + std::to_string(limits_.task_records) + " records about processes; later ones are ignored"});
    }
    return false;
}

Machine TasksBuilder::machine_of(const RecordContext& context) const {
    if (!context.trailer.id || guests_.empty()) return host;
    const auto found = guests_.find(*context.trailer.id);
    return found == guests_.end() ? host : found->second;
}

void TasksBuilder::take(const RecordContext& context, Kind kind, const Event& event) {
    if (!room_for_more(context.view.offset)) return;
    changes_.push_back({context.time, static_cast<std::uint32_t>(events_.size()), machine_of(context), kind});
    events_.push_back(event);
}

template <class Map>
void TasksBuilder::take_mapping(const RecordContext& context, const Map& map, Mapping mapping, Object object) {
    const auto mode = cpu_mode(context.view.header().misc);
    const auto machine = machine_of(context);
    // `perf kvm` records guests without telling by event ids which samples are theirs.
    if ((mode == CpuMode::guest_kernel || mode == CpuMode::guest_user) && machine == host) return;
    if (!room_for_more(context.view.offset)) return;

    const bool kernel = mode == CpuMode::kernel || mode == CpuMode::guest_kernel;
    mapping.range = map.range;
    mapping.from = context.time;
    mapping.file_offset = map.page_offset;
    mapping.pid = kernel ? Pid{nobody} : map.pid;
    mapping.data = is_data(context);
    mapping.object = intern(map.filename, kernel, std::move(object));
    const auto kind = tasks_.objects_[mapping.object].kind;
    if (kind == ObjectKind::kernel) mapping.file_offset = map.range.begin.value;
    if (kind == ObjectKind::vdso) mapping.file_offset = 0;
    changes_.push_back(
        {context.time, static_cast<std::uint32_t>(mappings_.size()), machine, kernel ? Kind::kernel_map : Kind::map});
    mappings_.push_back(mapping);
}

void TasksBuilder::operator()(const RecordContext& context, const Mmap& map) {
    take_mapping(context, map, {}, {});
}

void TasksBuilder::operator()(const RecordContext& context, const Mmap2& map) {
    Mapping mapping;
    mapping.protection = map.protection;
    mapping.flags = map.flags;
    Object object;
    object.inode = map.inode;
    if (map.build_id && map.build_id->size != 0) object.build_id = map.build_id;
    take_mapping(context, map, mapping, std::move(object));
}

void TasksBuilder::operator()(const RecordContext& context, const Comm& comm) {
    take(context, comm.exec ? Kind::exec : Kind::name, {comm.pid, comm.tid, {}, {}, intern(comm.comm)});
}

void TasksBuilder::operator()(const RecordContext& context, const Fork& fork) {
    // Old versions of perf do not mark records they synthesize, but write no time.
    const bool synthesized = fork.synthesized || fork.time == Time{};
    take(context, synthesized ? Kind::synthesized_fork : Kind::fork,
         {fork.pid, fork.tid, fork.parent_pid, fork.parent_tid});
}

void TasksBuilder::operator()(const RecordContext& context, const Exit& exit) {
    take(context, Kind::exit, {exit.pid, exit.tid, exit.parent_pid, exit.parent_tid});
}

void TasksBuilder::operator()(const RecordContext& context, const Namespaces& namespaces) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> links;
    for (std::size_t index = 0; index < namespaces.size(); ++index) {
        links.emplace_back(namespaces.link(index).device, namespaces.link(index).inode);
    }
    auto& sets = tasks_.namespace_sets_;
    const auto [set, fresh] = namespace_sets_.try_emplace(std::move(links), static_cast<std::uint32_t>(sets.size()));
    if (fresh) {
        auto& added = sets.emplace_back();
        for (const auto& [device, inode] : set->first) added.push_back({device, inode});
    }
    take(context, Kind::namespaces, {namespaces.pid, namespaces.tid, {}, {}, set->second});
}

void TasksBuilder::operator()(const RecordContext&, const Cgroup& cgroup) {
    tasks_.cgroups_.insert_or_assign(cgroup.id, std::string(cgroup.path));
}

// This record comes before the records of its events.
void TasksBuilder::operator()(const RecordContext&, const IdIndex& index) {
    if (!index.has_guests()) return;
    for (std::size_t at = 0; at < index.size(); ++at) {
        const Machine machine{static_cast<std::uint32_t>(index.guest(at).machine_pid)};
        if (machine != host) guests_.insert_or_assign(index.entry(at).id, machine);
    }
}

// Sets the kind of the object, which depends on its path and on `kernel` alone.
ObjectIndex TasksBuilder::intern(std::string_view path, bool kernel, Object object) {
    const auto& known = tasks_.objects_;
    const auto equal = [&](ObjectIndex index) {
        const auto& other = known[index];
        return other.path == path && is_of_kernel(other.kind) == kernel && same(other.inode, object.inode) &&
               same(other.build_id, object.build_id);
    };
    // Processes that run the same program map the same objects in the same order: what followed the last object before
    // follows again. That saves the hash for nearly all (9 % of the first pass).
    const bool any = last_object_ < known.size();
    if (any && equal(followers_[last_object_])) return last_object_ = followers_[last_object_];

    object.kind = !kernel ? object_kind(path) : is_kernel_itself(path) ? ObjectKind::kernel : ObjectKind::module;
    const auto follow = [&](ObjectIndex index) {
        if (any) followers_[last_object_] = index;
        return last_object_ = index;
    };
    const auto hash = hash_of(path, object);
    const auto [first, last] = objects_.equal_range(hash);
    for (auto candidate = first; candidate != last; ++candidate) {
        if (equal(candidate->second)) return follow(candidate->second);
    }
    const auto added = static_cast<ObjectIndex>(known.size());
    objects_.emplace(hash, added);
    object.path = path;
    tasks_.objects_.push_back(std::move(object));
    followers_.push_back(added);
    return follow(added);
}

std::uint32_t TasksBuilder::intern(std::string_view comm) {
    const auto index = static_cast<std::uint32_t>(tasks_.comms_.size());
    const auto found = comms_.find(comm);
    if (found != comms_.end()) return found->second;
    comms_.emplace(comm, index);
    tasks_.comms_.emplace_back(comm);
    return index;
}

Tasks TasksBuilder::finish(LookOut& look) && {
    // Records of one time stay in file order, synthesized ones (time 0) come first.
    merge_runs(
        changes_, [](const Change& change) { return change.time; }, look);
    const auto idle = intern("swapper");
    comm_history_.add(Tasks::key(host, 0), Time{}, idle);
    for (const auto& change : changes_) {
        look();
        replay(change);
    }

    tasks_.spaces_ = std::move(spaces_).build(look);
    tasks_.starts_ = std::move(starts_).build(look);
    tasks_.comm_history_ = std::move(comm_history_).build(look);
    tasks_.thread_history_ = std::move(thread_history_).build(look);
    tasks_.namespace_history_ = std::move(namespace_history_).build(look);
    History<Machine>::Builder guests;
    for (const auto& [id, machine] : guests_) guests.add(id.value, {}, machine);
    tasks_.guests_ = std::move(guests).build();
    const auto mappings = tasks_.mappings();
    const auto is_vsyscall = [&](const Mapping& one) { return tasks_.object(one).kind == ObjectKind::vsyscall; };
    tasks_.vsyscall_ = static_cast<std::uint32_t>(std::ranges::find_if(mappings, is_vsyscall) - mappings.begin());
    return std::move(tasks_);
}

void TasksBuilder::replay(const Change& change) {
    if (change.kind == Kind::map) {
        const auto& mapping = mappings_[change.index];
        spaces_.map(space_of(change.machine, mapping.pid), mapping);
        return;
    }
    if (change.kind == Kind::kernel_map) {
        spaces_.map(kernel_space_of(change.machine), mappings_[change.index]);
        return;
    }
    const auto& event = events_[change.index];
    switch (change.kind) {
        case Kind::name:
        case Kind::exec: set_comm(change, event); break;
        case Kind::fork:
        case Kind::synthesized_fork: fork(change, event); break;
        case Kind::exit: exit(change, event); break;
        case Kind::namespaces:
            thread_of(change.machine, event.pid, event.tid);
            namespace_history_.add(Tasks::key(change.machine, event.tid.value), change.time, event.value);
            break;
        case Kind::map:
        case Kind::kernel_map: break;
    }
}

void TasksBuilder::start(Machine machine, Pid pid, Time time, SpaceIndex space, bool exec) {
    const auto key = Tasks::key(machine, pid.value);
    space_now_[key] = space;
    starts_.add(key, time, {space, exec});
}

// A process without any record so far existed before the recording began.
SpaceIndex TasksBuilder::space_of(Machine machine, Pid pid) {
    const auto* known = space_now_.find(Tasks::key(machine, pid.value));
    if (known != nullptr) return *known;
    const auto space = spaces_.create();
    start(machine, pid, Time{}, space, false);
    return space;
}

SpaceIndex TasksBuilder::kernel_space_of(Machine machine) {
    auto& space = machine == host ? tasks_.host_kernel_
                                  : tasks_.kernel_spaces_.try_emplace(machine, AddressSpaces::none).first->second;
    if (space == AddressSpaces::none) space = spaces_.create();
    return space;
}

TasksBuilder::State& TasksBuilder::begin_thread(Machine machine, Time time, const Event& event) {
    const auto key = Tasks::key(machine, event.tid.value);
    const auto life = static_cast<std::uint32_t>(tasks_.threads_.size());
    tasks_.threads_.push_back({event.tid, event.pid, event.parent_pid, event.parent_tid, time, Time::forever()});
    thread_history_.add(key, time, life);
    auto& thread = threads_[key];
    thread = {life, State::no_comm, event.pid};
    return thread;
}

TasksBuilder::State& TasksBuilder::thread_of(Machine machine, Pid pid, Tid tid) {
    if (auto* known = threads_.find(Tasks::key(machine, tid.value))) return *known;
    return begin_thread(machine, Time{}, {pid, tid, {nobody}, {nobody}});
}

void TasksBuilder::set_comm(const Change& change, const Event& event) {
    const auto key = Tasks::key(change.machine, event.tid.value);
    auto& thread = thread_of(change.machine, event.pid, event.tid);
    if (change.kind == Kind::exec) {
        // If a thread other than the leader calls exec, the leader exits first and that thread takes its id.
        tasks_.threads_[thread.life].until = Time::forever();
        start(change.machine, event.pid, change.time, spaces_.create(), true);
    }
    if (thread.comm == event.value) return;
    thread.comm = event.value;
    comm_history_.add(key, change.time, event.value);
}

void TasksBuilder::fork(const Change& change, const Event& event) {
    const auto machine = change.machine;
    const bool synthesized = change.kind == Kind::synthesized_fork;
    if (event.pid != event.parent_pid) {
        if (!synthesized) {
            const auto parent = space_of(machine, event.parent_pid);
            start(machine, event.pid, change.time, spaces_.fork(parent), false);
        } else if (space_now_.find(Tasks::key(machine, event.pid.value)) == nullptr) {
            start(machine, event.pid, change.time, spaces_.create(), false);
        }
    }
    auto comm = State::no_comm;
    const auto* parent = threads_.find(Tasks::key(machine, event.parent_tid.value));
    // A thread of that id in another process is not the parent: its own FORK was lost.
    if (parent != nullptr && parent->pid == event.parent_pid) comm = parent->comm;
    if (event.parent_tid.value == 0 && parent == nullptr && machine == host) comm = intern("swapper");

    auto& thread = begin_thread(machine, change.time, event);
    thread.comm = comm;
    comm_history_.add(Tasks::key(machine, event.tid.value), change.time, comm == State::no_comm ? intern("") : comm);
}

void TasksBuilder::exit(const Change& change, const Event& event) {
    auto& thread = thread_of(change.machine, event.pid, event.tid);
    auto& life = tasks_.threads_[thread.life];
    if (life.until == Time::forever()) life.until = change.time;
}

}  // namespace perfdata
