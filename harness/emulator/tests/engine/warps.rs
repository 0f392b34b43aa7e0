//! Barriers, votes, shuffles, matches and reductions.

use crate::kernel::Kernel;
use warpdiff_model::Permitted;

fn each(body: &str, threads: u32) -> Vec<u32> {
    Kernel::new(&format!("{body} st.global.u32 [%mine], %r1;"), threads, threads as usize).words()
}

#[test]
fn votes() {
    let odd = "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1;";
    assert_eq!(each(&format!("{odd} vote.sync.ballot.b32 %r1, %p1, -1;"), 32), vec![0xAAAA_AAAA; 32]);
    let pick = "selp.u32 %r1, 1, 0, %p2;";
    assert_eq!(each(&format!("{odd} vote.sync.any.pred %p2, %p1, -1; {pick}"), 32), vec![1; 32]);
    assert_eq!(each(&format!("{odd} vote.sync.all.pred %p2, %p1, -1; {pick}"), 32), vec![0; 32]);
    assert_eq!(each(&format!("{odd} vote.sync.uni.pred %p2, %p1, -1; {pick}"), 32), vec![0; 32]);
}

#[test]
fn shuffles() {
    let shuffle = |mode: &str, lane: u32, clamp: &str| {
        each(
            &format!("shfl.sync.{mode}.b32 %r1|%p1, %t, {lane}, {clamp}, -1; @!%p1 add.u32 %r1, %r1, 100;"),
            32,
        )
    };
    let expected = |f: &dyn Fn(u32) -> u32| (0..32).map(f).collect::<Vec<u32>>();
    // Out of range, a lane keeps its own value and the predicate is false.
    assert_eq!(shuffle("up", 1, "0"), expected(&|t| if t == 0 { 100 } else { t - 1 }));
    assert_eq!(shuffle("down", 2, "31"), expected(&|t| if t > 29 { t + 100 } else { t + 2 }));
    assert_eq!(shuffle("bfly", 1, "31"), expected(&|t| t ^ 1));
    assert_eq!(shuffle("idx", 5, "31"), vec![5; 32]);
    // Segments of 8 lanes: the segment mask is 0x18, in bits 8 to 12.
    assert_eq!(shuffle("idx", 3, "0x181f"), expected(&|t| (t & !7) + 3));
    assert_eq!(shuffle("down", 1, "0x181f"), expected(&|t| if t & 7 == 7 { t + 100 } else { t + 1 }));
}

#[test]
fn a_shuffle_from_an_inactive_lane_is_undefined() {
    let body = "mov.u32 %r1, 0; setp.lt.u32 %p1, %t, 4; @%p1 shfl.sync.idx.b32 %r1, %t, 7, 31, 15; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 8, 8).defined()[..5], [0, 0, 0, 0, u32::MAX]);
}

#[test]
fn members_wait_for_one_another() {
    // Lanes reach the vote by two ways; the .sync form brings all of them together.
    let body = "setp.lt.u32 %p1, %t, 16; @%p1 bra low; mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 1; bra meet;\nlow: mov.u32 %r2, 0;\n\
                meet: setp.eq.u32 %p2, %r2, 1; vote.sync.ballot.b32 %r1, %p2, -1;";
    assert_eq!(each(body, 32), vec![0xFFFF_0000; 32]);
}

#[test]
fn bar_warp_sync_may_be_met_in_different_places() {
    let body = "setp.lt.u32 %p1, %t, 16; @%p1 bra low; bar.warp.sync -1; mov.u32 %r1, 1; bra end;\n\
                low: bar.warp.sync -1; mov.u32 %r1, 2;\nend:";
    assert_eq!(each(body, 32), (0..32).map(|t| if t < 16 { 2 } else { 1 }).collect::<Vec<u32>>());
}

#[test]
fn matches_and_reductions() {
    let body = "and.b32 %r2, %t, 3; match.any.sync.b32 %r1, %r2, -1;";
    assert_eq!(each(body, 32), (0..32).map(|t| 0x1111_1111 << (t & 3)).collect::<Vec<u32>>());
    assert_eq!(each("redux.sync.add.u32 %r1, %t, -1;", 32), vec![496; 32]);
    assert_eq!(each("sub.s32 %r2, %t, 5; redux.sync.min.s32 %r1, %r2, -1;", 32), vec![(-5i32) as u32; 32]);
    assert_eq!(each("redux.sync.xor.b32 %r1, %t, -1;", 31), vec![31; 31]);
}

#[test]
fn bar_red_reduces_over_the_block() {
    let body = "setp.lt.u32 %p1, %t, 40; bar.red.popc.u32 %r1, 0, %p1;";
    assert_eq!(each(body, 96), vec![40; 96]);
    let body = "setp.lt.u32 %p1, %t, 40; bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1; selp.u32 %r2, 1, 0, %p2; \
                selp.u32 %r3, 2, 0, %p3; or.b32 %r1, %r2, %r3;";
    assert_eq!(each(body, 64), vec![2; 64]);
}

#[test]
fn a_producer_arrives_and_a_consumer_waits() {
    // Warp 0 stores and arrives at barrier 1, warp 1 waits for the 64 threads and reads.
    let body = ".shared .align 4 .b8 s[128];\nmov.u64 %d2, s; and.b32 %r2, %t, 31; mul.wide.u32 %d3, %r2, 4; add.s64 %d2, %d2, %d3; \
                setp.ge.u32 %p1, %t, 32; mov.u32 %r1, 7; @%p1 bra consume; st.shared.u32 [%d2], %t; bar.arrive 1, 64; bra end;\n\
                consume: bar.sync 1, 64; ld.shared.u32 %r1, [%d2];\nend:";
    let expected = (0..64).map(|t| if t < 32 { 7 } else { t - 32 }).collect::<Vec<u32>>();
    assert_eq!(each(body, 64), expected);
}

#[test]
fn exited_threads_do_not_hold_a_barrier() {
    let body = "setp.lt.u32 %p1, %t, 32; @%p1 exit; bar.sync 0; mov.u32 %r1, 3;";
    let mut expected = vec![0; 32];
    expected.extend([3; 32]);
    assert_eq!(each(body, 64), expected);
}

#[test]
fn a_barrier_that_not_all_reach_never_opens() {
    let body = "setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1; bar.sync 0;";
    assert_eq!(Kernel::new(body, 64, 1).run().outcome.permitted, Permitted::TimedOut);
}

#[test]
fn special_registers() {
    let body = "mov.u32 %r1, %laneid;";
    assert_eq!(each(body, 40), (0..40).map(|t| t % 32).collect::<Vec<u32>>());
    let lanes = "mov.u32 %r1, %lanemask_lt;";
    assert_eq!(each(lanes, 32), (0..32).map(|t| (1 << t) - 1).collect::<Vec<u32>>());
    let mut kernel = Kernel::new(
        "mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %t; mul.wide.u32 %d2, %r4, 4; add.s64 %d2, %d2, %out; \
         mov.u32 %r5, %ctaid.x; mad.lo.u32 %r1, %r5, 1000, %r4; mov.u32 %r6, %nctaid.x; setp.eq.u32 %p1, %r6, 1; @%p1 st.global.u32 [%d2], %r1;",
        1,
        6,
    );
    kernel.launch.block = [3, 2, 1];
    assert_eq!(kernel.words(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn partners_at_another_place_are_not_taken_for_a_hang() {
    // "the same qualifiers and same membermask value" is all that PTX asks of partners; matching them across places is
    // not implemented, and says so.
    let body = "setp.eq.u32 %p1, %t, 0; @%p1 bra one; shfl.sync.bfly.b32 %r1, %t, 1, 31, 3; bra join;\n\
                one: shfl.sync.bfly.b32 %r1, %t, 1, 31, 3;\njoin: st.global.u32 [%mine], %r1;";
    let (place, _) = Kernel::new(body, 2, 2).indeterminate();
    assert!(place.contains("unsupported: partners at another place"), "{place}");
}

#[test]
fn what_the_machine_decides_is_not_compared() {
    // "%warpid is volatile", "%smid … may change", "%clock … a free-running counter": no value is promised.
    for register in ["%smid", "%warpid", "%clock", "%clock_hi", "%globaltimer_lo"] {
        let body = format!("mov.u32 %r1, {register}; st.global.u32 [%mine], %r1;");
        assert_eq!(Kernel::new(&body, 1, 1).unordered(), [u32::MAX], "{register}");
    }
}
