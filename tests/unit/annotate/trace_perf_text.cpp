// SPDX-License-Identifier: MIT
// Formats of Linux 6.18 with made-up data, and what perf script 6.1 printed for them.
#include <charconv>

#include "catch.hpp"
#include "trace/trace_formats.hpp"

using namespace perfdata;

namespace {

struct PerfTraceText {
    const char* fields;  // a line for each: declaration, offset, size, signed
    const char* print;
    const char* data;  // hexadecimal
    const char* text;
};

const PerfTraceText perf_trace_texts[] = {
    // kvm:kvm_hypercall
    {R"x(unsigned long nr,8,8,0;unsigned long a0,16,8,0;unsigned long a1,24,8,0;unsigned long a2)x"
     R"x(,32,8,0;unsigned long a3,40,8,0;)x",
     R"x("nr 0x%lx a0 0x%lx a1 0x%lx a2 0x%lx a3 0x%lx", REC->nr, REC->a0, REC->a1, REC->a2, REC)x"
     R"x(->a3)x",
     R"x(72005c04985e18fa0200000000000000000000000040000089e830a46143deafb24ed8108ddb5150e9e438a)x"
     R"x(782941cdf00000000)x",
     R"x(nr 0x2 a0 0x400000000000 a1 0xafde4361a430e889 a2 0x5051db8d10d84eb2 a3 0xdf1c9482a738e)x"
     R"x(4e9)x"},
    // percpu:percpu_free_percpu
    {R"x(void * base_addr,8,8,0;int off,16,4,1;void __seg_gs * ptr,24,8,0;)x",
     R"x("base_addr=%p off=%d ptr=%p", REC->base_addr, REC->off, REC->ptr)x",
     R"x(84027e0300002000f0e58481ffffffff60bf7a860000000073f06e81ffffffff00000000)x",
     R"x(base_addr=0xffffffff8184e5f0 off=-2038775968 ptr=0xffffffff816ef073)x"},
    // irq:irq_handler_exit
    {R"x(int irq,8,4,1;int ret,12,4,1;)x", R"x("irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled")x",
     R"x(e000130470c7e17d000200000000002000000000)x", R"x(irq=512 ret=handled)x"},
    // msr:write_msr
    {R"x(unsigned msr,8,4,0;u64 val,16,8,0;int failed,24,4,1;)x",
     R"x("%x, value %llx%s", REC->msr, REC->val, REC->failed ? " #GP" : "")x",
     R"x(69081d045f000000009a25590000000014b846886397c97fc7999a50)x", R"x(59259a00, value 7fc997638846b814 #GP)x"},
    // mmap:vm_unmapped_area
    {R"x(unsigned long addr,8,8,0;unsigned long total_vm,16,8,0;unsigned long flags,24,8,0;unsig)x"
     R"x(ned long length,32,8,0;unsigned long low_limit,40,8,0;unsigned long high_limit,48,8,0;u)x"
     R"x(nsigned long align_mask,56,8,0;unsigned long align_offset,64,8,0;)x",
     R"x("addr=0x%lx err=%ld total_vm=0x%lx flags=0x%lx len=0x%lx lo=0x%lx hi=0x%lx mask=0x%lx o)x"
     R"x(fs=0x%lx", __builtin_expect(!!((unsigned long)(void *)(REC->addr) >= (unsigned long)-40)x"
     R"x(95), 0) ? 0 : REC->addr, __builtin_expect(!!((unsigned long)(void *)(REC->addr) >= (uns)x"
     R"x(igned long)-4095), 0) ? REC->addr : 0, REC->total_vm, REC->flags, REC->length, REC->low)x"
     R"x(_limit, REC->high_limit, REC->align_mask, REC->align_offset)x",
     R"x(b90208010000100050693e81ffffffff2660730c20359c5c50c1379bb1b4379603000000000000002fb758b)x"
     R"x(2e6c1a27b872a27b605fb919100000000000008000b1fc093c96b17e300000000)x",
     R"x(addr=0xffffffff813e6950 err=0 total_vm=0x5c9c35200c736026 flags=0x9637b4b19b37c150 len=)x"
     R"x(0x3 lo=0x7ba2c1e6b258b72f hi=0x9191fb05b6272a87 mask=0x8000000000000 ofs=0xe3176bc993c0)x"
     R"x(1f0b)x"},
    // writeback:writeback_sb_inodes_requeue
    {R"x(char name[32],8,32,0;ino_t ino,40,8,0;unsigned long state,48,8,0;unsigned long dirtied_)x"
     R"x(when,56,8,0;ino_t cgroup_ino,64,8,0;)x",
     R"x("bdi %s: ino=%lu state=%s dirtied_when=%lu age=%lu cgroup_ino=%lu", REC->name, (unsigne)x"
     R"x(d long)REC->ino, __print_flags(REC->state, "|", {I_DIRTY_SYNC, "I_DIRTY_SYNC"}, {I_DIRT)x"
     R"x(Y_DATASYNC, "I_DIRTY_DATASYNC"}, {I_DIRTY_PAGES, "I_DIRTY_PAGES"}, {I_NEW, "I_NEW"}, {I)x"
     R"x(_WILL_FREE, "I_WILL_FREE"}, {I_FREEING, "I_FREEING"}, {I_CLEAR, "I_CLEAR"}, {I_SYNC, "I)x"
     R"x(_SYNC"}, {I_DIRTY_TIME, "I_DIRTY_TIME"}, {I_REFERENCED, "I_REFERENCED"}, {I_LINKABLE, ")x"
     R"x(I_LINKABLE"}, {I_WB_SWITCH, "I_WB_SWITCH"}, {I_OVL_INUSE, "I_OVL_INUSE"}, {I_CREATING, )x"
     R"x("I_CREATING"}, {I_DONTCACHE, "I_DONTCACHE"}, {I_SYNC_QUEUED, "I_SYNC_QUEUED"}, {I_PINNI)x"
     R"x(NG_NETFS_WB, "I_PINNING_NETFS_WB"}, {I_LRU_ISOLATING, "I_LRU_ISOLATING"} ), REC->dirtie)x"
     R"x(d_when, (jiffies - REC->dirtied_when) / 250, (unsigned long)REC->cgroup_ino)x",
     R"x(d803b4038c065e19636f6d6d34000000000000000000000000000000000000000000000000000000cf00000)x"
     R"x(000000000bc2558f3d8f6cf049a479614ce538a39930000000000000000000000)x",
     R"x(bdi comm4: ino=207 state=0x4cff6d8f35825bc dirtied_when=4146218551521724314 age=5720210)x"
     R"x(2088751309 cgroup_ino=147)x"},
    // filelock:generic_add_lease
    {R"x(unsigned long i_ino,8,8,0;int wcount,16,4,1;int rcount,20,4,1;int icount,24,4,1;dev_t s)x"
     R"x(_dev,28,4,0;fl_owner_t owner,32,8,0;unsigned int flags,40,4,0;unsigned char type,44,1,0)x"
     R"x(;)x",
     R"x("dev=0x%x:0x%x ino=0x%lx wcount=%d rcount=%d icount=%d fl_owner=%p fl_flags=%s fl_type=)x"
     R"x(%s", ((unsigned int) ((REC->s_dev) >> 20)), ((unsigned int) ((REC->s_dev) & ((1U << 20))x"
     R"x( - 1))), REC->i_ino, REC->wcount, REC->rcount, REC->icount, REC->owner, __print_flags(R)x"
     R"x(EC->flags, "|", { 1, "FL_POSIX" }, { 2, "FL_FLOCK" }, { 4, "FL_DELEG" }, { 8, "FL_ACCES)x"
     R"x(S" }, { 16, "FL_EXISTS" }, { 32, "FL_LEASE" }, { 64, "FL_CLOSE" }, { 128, "FL_SLEEP" },)x"
     R"x( { 256, "FL_DOWNGRADE_PENDING" }, { 512, "FL_UNLOCK_PENDING" }, { 1024, "FL_OFDLCK" }, )x"
     R"x({ 4096, "FL_RECLAIM"}), __print_symbolic(REC->type, { 0, "F_RDLCK" }, { 1, "F_WRLCK" },)x"
     R"x( { 2, "F_UNLCK" }))x",
     R"x(5f0426029c509fbffb00000000000000010000000400000004000000b42d0afb6536e7a0fad52119a0a262e)x"
     R"x(3b300000000000000)x",
     R"x(dev=0xfb0:0xa2db4 ino=0xfb wcount=1 rcount=4 icount=4 fl_owner=0x1921d5faa0e73665 fl_fl)x"
     R"x(ags=FL_LEASE|FL_SLEEP|FL_UNLOCK_PENDING|0xe362a000 fl_type=0xb3)x"},
    // btrfs:raid56_read
    {R"x(u8 fsid[16],8,16,0;u64 full_stripe,24,8,0;u64 physical,32,8,0;u64 devid,40,8,0;u32 offs)x"
     R"x(et,48,4,0;u32 len,52,4,0;u8 opf,56,1,0;u8 total_stripes,57,1,0;u8 real_stripes,58,1,0;u)x"
     R"x(8 nr_data,59,1,0;u8 stripe_nr,60,1,0;)x",
     R"x("%pU: full_stripe=%llu devid=%lld type=%s%d offset=%d opf=0x%x physical=%llu len=%u", R)x"
     R"x(EC->fsid, REC->full_stripe, REC->devid, (REC->stripe_nr < REC->nr_data) ? "DATA" : ((RE)x"
     R"x(C->stripe_nr < REC->real_stripes) ? "PQ" : "REPLACE"), (REC->stripe_nr < REC->nr_data) )x"
     R"x(? (REC->stripe_nr + 1) : ((REC->stripe_nr < REC->real_stripes) ? (REC->stripe_nr - REC-)x"
     R"x(>nr_data + 1) : 0), REC->offset, REC->opf, REC->physical, REC->len)x",
     R"x(8d073a0574000000f0e765e406cd9373b191c9ca3c2141296d00000000000000ce0000000000000038fa03a)x"
     R"x(9edff6ade51620f6905000000b3d47d6bff00000000000000)x",
     R"x(f0e765e4-06cd-9373-b191-c9ca3c214129: full_stripe=109 devid=-2419840453550278088 type=R)x"
     R"x(EPLACE0 offset=1762615889 opf=0xb3 physical=206 len=5)x"},
    // block:block_rq_issue
    {R"x(dev_t dev,8,4,0;sector_t sector,16,8,0;unsigned int nr_sector,24,4,0;unsigned int bytes)x"
     R"x(,28,4,0;unsigned short ioprio,32,2,0;char rwbs[10],34,10,0;char comm[16],44,16,0;__data)x"
     R"x(_loc char[] cmd,60,4,0;)x",
     R"x("%d,%d %s %u (%s) %llu + %u %s,%u,%u [%s]", ((unsigned int) ((REC->dev) >> 20)), ((unsi)x"
     R"x(gned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->bytes, __get_str(cmd), (uns)x"
     R"x(igned long long)REC->sector, REC->nr_sector, __print_symbolic((((REC->ioprio) >> 13) & )x"
     R"x((8 - 1)), { IOPRIO_CLASS_NONE, "none" }, { IOPRIO_CLASS_RT, "rt" }, { IOPRIO_CLASS_BE, )x"
     R"x("be" }, { IOPRIO_CLASS_IDLE, "idle" }, { IOPRIO_CLASS_INVALID, "invalid"}), (((REC->iop)x"
     R"x(rio) >> 3) & ((1 << 10) - 1)), ((REC->ioprio) & ((1 << 3) - 1)), REC->comm)x",
     R"x(3808e6028a0000000f00000000000000f90000000000000066249db21dcf08de1a01636f6d6d34000000000)x"
     R"x(0636f6d6d34000000000000000000000040000800676865632d62620000000000)x",
     R"x(0,15 comm4 3725119261 (ghec-bb) 249 + 2996642918 0x0,35,2 [comm4])x"},
    // tcp:tcp_probe
    {R"x(__u8 saddr[28],8,28,0;__u8 daddr[28],36,28,0;__u16 sport,64,2,0;__u16 dport,66,2,0;__u1)x"
     R"x(6 family,68,2,0;__u32 mark,72,4,0;__u16 data_len,76,2,0;__u32 snd_nxt,80,4,0;__u32 snd_)x"
     R"x(una,84,4,0;__u32 snd_cwnd,88,4,0;__u32 ssthresh,92,4,0;__u32 snd_wnd,96,4,0;__u32 srtt,)x"
     R"x(100,4,0;__u32 rcv_wnd,104,4,0;__u64 sock_cookie,112,8,0;const void * skbaddr,120,8,0;co)x"
     R"x(nst void * skaddr,128,8,0;)x",
     R"x("family=%s src=%pISpc dest=%pISpc mark=%#x data_len=%d snd_nxt=%#x snd_una=%#x snd_cwnd)x"
     R"x(=%u ssthresh=%u snd_wnd=%u srtt=%u rcv_wnd=%u sock_cookie=%llx skbaddr=%p skaddr=%p", _)x"
     R"x(_print_symbolic(REC->family, { 2, "AF_INET" }, { 10, "AF_INET6" }), REC->saddr, REC->da)x"
     R"x(ddr, REC->mark, REC->data_len, REC->snd_nxt, REC->snd_una, REC->snd_cwnd, REC->ssthresh)x"
     R"x(, REC->snd_wnd, REC->srtt, REC->rcv_wnd, REC->sock_cookie, REC->skbaddr, REC->skaddr)x",
     R"x(e1080102010000000a00ff42050000000aee6c2ac9d3a748a9e78a1f9dce2de46180de40020066220500000)x"
     R"x(09b9e6ab77aa85999aff3fe5a93b9a4eebf4c406b0f00030011000000020000000200000001000000010000)x"
     R"x(000100000001000000020000000100000001000000000000000500000000000000705bec81ffffffff614b7)x"
     R"x(e83ffffffff00000000)x",
     R"x(family=0x11 src=[aee:6c2a:c9d3:a748:a9e7:8a1f:9dce:2de4]:65346 dest=5.0.0.0:26146 mark=)x"
     R"x(0x2 data_len=2 snd_nxt=0x1 snd_una=0x1 snd_cwnd=1 ssthresh=1 snd_wnd=2 srtt=1 rcv_wnd=1)x"
     R"x( sock_cookie=5 skbaddr=0xffffffff81ec5b70 skaddr=0xffffffff837e4b61)x"},
    // neigh:neigh_cleanup_and_release
    {R"x(u32 family,8,4,0;__data_loc char[] dev,12,4,0;u8 lladdr[32],16,32,0;u8 lladdr_len,48,1,)x"
     R"x(0;u8 flags,49,1,0;u8 nud_state,50,1,0;u8 type,51,1,0;u8 dead,52,1,0;int refcnt,56,4,1;_)x"
     R"x(_u8 primary_key4[4],60,4,0;__u8 primary_key6[16],64,16,0;unsigned long confirmed,80,8,0)x"
     R"x(;unsigned long updated,88,8,0;unsigned long used,96,8,0;u32 err,104,4,0;)x",
     R"x("family %d dev %s lladdr %s flags %02x nud_state %s type %02x dead %d refcnt %d primary)x"
     R"x(_key4 %pI4 primary_key6 %pI6c confirmed %lu updated %lu used %lu err %d", REC->family, )x"
     R"x(__get_str(dev), __print_hex_str(REC->lladdr, REC->lladdr_len), REC->flags, __print_symb)x"
     R"x(olic(REC->nud_state, { 0x01, "incomplete" }, { 0x02, "reachable" }, { 0x04, "stale" }, )x"
     R"x({ 0x08, "delay" }, { 0x10, "probe" }, { 0x20, "failed" }, { 0x40, "noarp" }, { 0x80, "p)x"
     R"x(ermanent"}), REC->type, REC->dead, REC->refcnt, REC->primary_key4, REC->primary_key6, R)x"
     R"x(EC->confirmed, REC->updated, REC->used, REC->err)x",
     R"x(c308d70400000000000000006c0009000a0063760500000091945b7bacaa248e2e92c15f973b3a319238a42)x"
     R"x(9f9cd70a60300006fd80000000000000043706a042bd6a29880bfb673c59eae75ad5b6fa400000000000000)x"
     R"x(00fe0700000000000000000000000000005b0e00006465662f2d6168620000000000000000)x",
     R"x(family 0 dev def/-ahb lladdr 0a0063 flags 00 nud_state 0x0 type 6f dead 216 refcnt 0 pr)x"
     R"x(imary_key4 67.112.106.4 primary_key6 2bd6:a298:80bf:b673:c59e:ae75:ad5b:6fa4 confirmed )x"
     R"x(0 updated 2046 used 0 err 3675)x"},
    // fib6:fib6_table_lookup
    {R"x(u32 tb_id,8,4,0;int err,12,4,1;int oif,16,4,1;int iif,20,4,1;u32 flowlabel,24,4,0;__u8 )x"
     R"x(tos,28,1,0;__u8 scope,29,1,0;__u8 flags,30,1,0;__u8 src[16],31,16,0;__u8 dst[16],47,16,)x"
     R"x(0;u16 sport,64,2,0;u16 dport,66,2,0;u8 proto,68,1,0;u8 rt_type,69,1,0;char name[16],70,)x"
     R"x(16,0;__u8 gw[16],86,16,0;)x",
     R"x("table %3u oif %d iif %d proto %u %pI6c/%u -> %pI6c/%u flowlabel %#x tos %d scope %d fl)x"
     R"x(ags %x ==> dev %s gw %pI6c err %d", REC->tb_id, REC->oif, REC->iif, REC->proto, REC->sr)x"
     R"x(c, REC->sport, REC->dst, REC->dport, REC->flowlabel, REC->tos, REC->scope, REC->flags, )x"
     R"x(REC->name, REC->gw, REC->err)x",
     R"x(0b0901010e000000010000000d00000001000000010000000a000000010103bb038084d1067cdfc24dac462)x"
     R"x(c7d454c951d3f7cdf4569ff792dc87ff9a047fa00080001001001636f6d6d31000000000000000000000074)x"
     R"x(6203101c8fbc388d39e26cc5f69c23000000000000)x",
     R"x(table   1 oif 1 iif 1 proto 16 bb03:8084:d106:7cdf:c24d:ac46:2c7d:454c/8 -> 951d:3f7c:d)x"
     R"x(f45:69ff:792d:c87f:f9a0:47fa/1 flowlabel 0xa tos 1 scope 1 flags 3 ==> dev comm1 gw 746)x"
     R"x(2:310:1c8f:bc38:8d39:e26c:c5f6:9c23 err 13)x"},
    // bridge:fdb_delete
    {R"x(__data_loc char[] br_dev,8,4,0;__data_loc char[] dev,12,4,0;unsigned char addr[6],16,6,)x"
     R"x(0;u16 vid,22,2,0;)x",
     R"x("br_dev %s dev %s addr %02x:%02x:%02x:%02x:%02x:%02x vid %u", __get_str(br_dev), __get_)x"
     R"x(str(dev), REC->addr[0], REC->addr[1], REC->addr[2], REC->addr[3], REC->addr[4], REC->ad)x"
     R"x(dr[5], REC->vid)x",
     R"x(d008bc050000000018000b0023000500636f6d6d3400a995682d646567662e636663002e62662f000000000)x"
     R"x(0)x",
     R"x(br_dev h-degf.cfc dev .bf/ addr 63:6f:6d:6d:34:00 vid 38313)x"},
    // page_pool:page_pool_release
    {R"x(const struct page_pool * pool,8,8,0;s32 inflight,16,4,1;u32 hold,20,4,0;u32 release,24,)x"
     R"x(4,0;u64 cnt,32,8,0;)x",
     R"x("page_pool=%p inflight=%d hold=%u release=%u cnt=%llu", REC->pool, REC->inflight, REC->)x"
     R"x(hold, REC->release, REC->cnt)x",
     R"x(cd08ff0112000000c1b99e81fffffffffffffffffdfffffffdffffff00000000feffffffffffffff0000000)x"
     R"x(0)x",
     R"x(page_pool=0xffffffff819eb9c1 inflight=-1 hold=4294967293 release=4294967293 cnt=1844674)x"
     R"x(4073709551614)x"},
};

std::string shown_by_format(const PerfTraceText& one) {
    std::string format = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";
    for (std::string_view rest = one.fields; !rest.empty();) {
        const auto line = rest.substr(0, rest.find(';'));
        rest.remove_prefix(line.size() + 1);
        const auto flag = line.rfind(','), size = line.rfind(',', flag - 1), offset = line.rfind(',', size - 1);
        format += "\tfield:" + std::string(line.substr(0, offset)) +
                  ";\toffset:" + std::string(line.substr(offset + 1, size - offset - 1)) +
                  ";\tsize:" + std::string(line.substr(size + 1, flag - size - 1)) +
                  ";\tsigned:" + std::string(line.substr(flag + 1)) + ";\n";
    }
    format += std::string("print fmt: ") + one.print + "\n";
    std::vector<std::byte> raw;
    for (std::string_view rest = one.data; rest.size() >= 2; rest.remove_prefix(2)) {
        unsigned byte = 0;
        std::from_chars(rest.data(), rest.data() + 2, byte, 16);
        raw.push_back(static_cast<std::byte>(byte));
    }
    std::string text;
    TraceText::parse(format).append(text, {raw, AnyOrder(std::endian::little)});
    return text;
}

}  // namespace

TEST_CASE("Formats of a kernel print what perf prints", "[annotate][trace]") {
    for (const auto& one : perf_trace_texts) CHECK(shown_by_format(one) == one.text);
}
