//! Barriers, votes, shuffles, matches and reductions.

use crate::kernel::{Kernel, words};
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

/// PTX ISA 9.7.9 (`shfl.sync`), 9.7.13 (`vote.sync`, `redux.sync`): "causes executing thread to wait until all non-exited
/// threads corresponding to membermask have executed [it] with the same qualifiers and same membermask value".
#[test]
fn partners_meet_from_different_places() {
    let body = "setp.eq.u32 %p1, %t, 0; @%p1 bra one; shfl.sync.bfly.b32 %r1, %t, 1, 31, 3; bra join;\n\
                one: add.u32 %r2, %t, 40; shfl.sync.bfly.b32 %r1, %r2, 1, 31, 3;\njoin:";
    // Lane 0 brings 40 and gets 1, lane 1 the reverse.
    assert_eq!(each(body, 2), [1, 40]);
    let body = "setp.lt.u32 %p1, %t, 3; setp.eq.u32 %p2, %t, 1; @%p1 bra low; vote.sync.ballot.b32 %r1, %p2, 31; bra end;\n\
                low: vote.sync.ballot.b32 %r1, %p2, 31;\nend:";
    assert_eq!(each(body, 5), [2; 5]);
}

#[test]
fn partners_meet_inside_and_outside_of_a_call() {
    let outside = ".func (.param .b32 r) sum(.param .b32 n)\n{ .reg .b32 %a, %b; ld.param.b32 %a, [n]; \
                   redux.sync.add.u32 %b, %a, 7; st.param.b32 [r], %b; ret; }\n";
    let body = "setp.eq.u32 %p1, %t, 1; @%p1 bra inside; redux.sync.add.u32 %r1, %t, 7; bra join;\n\
                inside: { .param .b32 x; .param .b32 y; mov.u32 %r2, 100; st.param.b32 [x], %r2; call (y), sum, (x); ld.param.b32 %r1, [y]; }\n\
                join: st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 3, 3).outside(outside).words(), [102; 3]);
}

#[test]
fn other_qualifiers_and_other_masks_do_not_meet() {
    // Lane 0 votes `any`, lane 1 `all`: each waits for the other to execute what it executes.
    for (one, other) in [
        ("vote.sync.any.pred %p2, %p1, 3;", "vote.sync.all.pred %p2, %p1, 3;"),
        ("redux.sync.add.u32 %r1, %t, 3;", "redux.sync.add.s32 %r1, %t, 3;"),
        ("bar.warp.sync 3;", "bar.warp.sync 7;"),
    ] {
        let body = format!("setp.eq.u32 %p1, %t, 0; @%p1 bra one; {other} bra join;\none: {one}\njoin:");
        assert_eq!(Kernel::new(&body, 2, 1).run().outcome.permitted, Permitted::TimedOut, "{one} {other}");
    }
}

#[test]
fn who_waits_for_partners_does_not_hold_up_the_others() {
    // Lane 2 spins until lane 0 has stored, which it does after it has met lane 1 at another place.
    let body = "setp.eq.u32 %p1, %t, 0; setp.eq.u32 %p2, %t, 1; mov.u32 %r1, 5; @%p1 bra zero; @%p2 bra one;\n\
                spin: ld.volatile.global.u32 %r2, [%out+16]; setp.eq.u32 %p3, %r2, 0; @%p3 bra spin; bra join;\n\
                one: shfl.sync.idx.b32 %r1, %t, 0, 31, 3; bra join;\n\
                zero: shfl.sync.idx.b32 %r1, %t, 1, 31, 3; st.volatile.global.u32 [%out+16], 1;\n\
                join: st.global.u32 [%mine], %r1;";
    let state = Kernel::new(body, 3, 5).state();
    assert_eq!(words(&state.regions[0].region.bytes)[..3], [1, 0, 5]);
}

/// "For .target sm_6x or below, all threads in membermask must execute the same [instruction] in convergence […]
/// Otherwise, the behavior is undefined."
#[test]
fn before_sm_70_partners_must_be_together() {
    let body =
        "setp.eq.u32 %p1, %t, 0; @%p1 bra one; bar.warp.sync 3; bra join;\none: bar.warp.sync 3;\njoin:";
    let kernel = Kernel::new(body, 2, 1);
    assert!(matches!(kernel.run().outcome.permitted, Permitted::Completed { .. }));
    let (place, _) = kernel.target(60).indeterminate();
    assert!(place.contains("partners at another place"), "{place}");
}

/// "The behavior of vote.sync is undefined if the executing thread is not in the membermask", and so for the others.
#[test]
fn what_a_lane_outside_its_mask_gets_is_undefined() {
    for instruction in [
        "vote.sync.ballot.b32 %r1, %p1, 6;",
        "vote.sync.any.pred %p2, %p1, 6; selp.u32 %r1, 0, -1, %p2;",
        "redux.sync.add.u32 %r1, %t, 6;",
        "match.any.sync.b32 %r1, %t, 6;",
        "shfl.sync.idx.b32 %r1, %t, 1, 31, 6;",
    ] {
        let body = format!("setp.eq.u32 %p1, %t, 2; {instruction} st.global.u32 [%mine], %r1;");
        assert_eq!(Kernel::new(&body, 3, 3).defined(), [0, u32::MAX, u32::MAX], "{instruction}");
    }
    // What the members get has nothing of it: 1 + 2, without the 0 of lane 0 and the 100 that it brings.
    let body = "setp.eq.u32 %p1, %t, 0; selp.u32 %r2, 100, %t, %p1; redux.sync.add.u32 %r1, %r2, 6; st.global.u32 [%mine], %r1;";
    let state = Kernel::new(body, 3, 3).state();
    assert_eq!(words(&state.regions[0].region.bytes), [0, 3, 3]);
    let (place, _) = Kernel::new("bar.warp.sync 6;", 3, 1).indeterminate();
    assert!(place.contains("without the executing lane"), "{place}");
}

/// "bar.warp.sync will cause executing thread to wait until all threads corresponding to membermask have executed a
/// bar.warp.sync with the same membermask value": each half orders its own accesses, not those of the other half.
#[test]
fn bar_warp_sync_orders_the_lanes_of_one_mask() {
    let body = |mask: &str, partner: u32| {
        format!(
            ".shared .align 4 .b8 s[128];\nmov.u64 %d2, s; mul.wide.u32 %d3, %t, 4; add.s64 %d3, %d3, %d2; st.shared.u32 [%d3], %t;\n\
             setp.lt.u32 %p1, %t, 16; {mask} bar.warp.sync %r3;\n\
             xor.b32 %r2, %t, {partner}; mul.wide.u32 %d4, %r2, 4; add.s64 %d4, %d4, %d2; ld.shared.u32 %r1, [%d4]; st.global.u32 [%mine], %r1;"
        )
    };
    let halves = "selp.b32 %r3, 0xffff, 0xffff0000, %p1;";
    let expected = (0..32).map(|t| t ^ 1).collect::<Vec<u32>>();
    assert_eq!(Kernel::new(&body(halves, 1), 32, 32).words(), expected);
    assert!(Kernel::new(&body(halves, 16), 32, 32).defined().iter().all(|mask| *mask == 0));
    let expected = (0..32).map(|t| t ^ 16).collect::<Vec<u32>>();
    assert_eq!(Kernel::new(&body("mov.b32 %r3, -1;", 16), 32, 32).words(), expected);
}

#[test]
fn a_half_does_not_wait_for_the_other_half() {
    // The upper half would wait for ever at a mask of its own that lane 31 never names.
    let body = "setp.lt.u32 %p1, %t, 16; mov.u32 %r1, 1; selp.b32 %r3, 0xffff, 0xffff0000, %p1; bar.warp.sync %r3; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 32, 32).words(), [1; 32]);
}

/// PTX ISA 9.7.13 (`barrier`): "When specifying a thread count, the value must be a multiple of the warp size", "a
/// non-zero thread count is required for barrier.arrive".
#[test]
fn a_thread_count_that_is_no_number_of_warps_is_not_a_hang() {
    let place = |body: &str| Kernel::new(body, 64, 1).indeterminate().0;
    assert!(place("mov.u32 %r2, 48; bar.sync 1, %r2;").contains("thread count 48"));
    assert!(place("mov.u32 %r2, 0; bar.arrive 1, %r2;").contains("thread count 0"));
    // With 0, bar.sync waits for all.
    let all = Kernel::new("mov.u32 %r2, 0; bar.sync 1, %r2;", 64, 1).run().outcome.permitted;
    assert!(matches!(all, Permitted::Completed { .. }));
}

#[test]
fn lanes_of_a_warp_may_name_different_barriers() {
    // 32 threads at each of barriers 2 and 3: the even lanes of two warps, and the odd ones.
    let body = "and.b32 %r2, %t, 1; add.u32 %r2, %r2, 2; barrier.sync %r2, 64; mov.u32 %r1, %r2;";
    let expected = (0..64).map(|t| t % 2 + 2).collect::<Vec<u32>>();
    assert_eq!(Kernel::new(&format!("{body} st.global.u32 [%mine], %r1;"), 128, 128).words()[..64], expected);
}

/// Which lanes are converged PTX does not say, once they have parted: only that the executing lane is active itself, and
/// that lanes which have exited are not.
#[test]
fn an_active_mask_is_compared_only_while_lanes_have_not_parted() {
    assert_eq!(each("activemask.b32 %r1;", 5), [31; 5]);
    let body = "setp.lt.u32 %p1, %t, 2; @%p1 bra low; mov.u32 %r2, 1;\nlow: activemask.b32 %r1; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 3, 3).unordered(), [0b110, 0b101, 0b011]);
    // The last lane comes when the others have exited. They may have waited for it.
    let late = "mov.u32 %r2, %t; setp.ne.u32 %p2, %t, 2; @%p2 bra low;\nagain: sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra again;\nlow: activemask.b32 %r1; st.global.u32 [%mine], %r1; exit;";
    assert_eq!(Kernel::new(late, 3, 3).unordered(), [0b110, 0b101, 0b011]);
    // A lane that exits before lanes part never comes here.
    let gone = format!("setp.eq.u32 %p3, %t, 0; @%p3 exit; {body}");
    assert_eq!(Kernel::new(&gone, 3, 3).unordered()[1..], [0b100, 0b010]);
}

#[test]
fn what_the_machine_decides_is_not_compared() {
    // "%warpid is volatile", "%smid … may change", "%clock … a free-running counter": no value is promised.
    for register in ["%smid", "%warpid", "%clock", "%clock_hi", "%globaltimer_lo"] {
        let body = format!("mov.u32 %r1, {register}; st.global.u32 [%mine], %r1;");
        assert_eq!(Kernel::new(&body, 1, 1).unordered(), [u32::MAX], "{register}");
    }
}

/// "In conditionally executed code, barrier instructions [with .aligned] should only be used if it is known that all threads evaluate the
/// condition identically, otherwise behavior is undefined." Threads need not come together, and whoever exits need not come.
#[test]
fn an_aligned_barrier_takes_whole_warps() {
    let half = "setp.lt.u32 %p1, %t, 16; setp.lt.u32 %p2, %t, 40; setp.lt.u32 %p3, %t, 32; mov.u32 %r1, 1;";
    let store = "st.global.u32 [%mine], %r1;";
    let both = |barrier: &str| format!("{half} @%p1 bra a; {barrier} bra c;\na: {barrier}\nc: {store}");
    let is_undefined = |body: &str| {
        let permitted = Kernel::new(body, 64, 64).run().outcome.permitted;
        match permitted {
            Permitted::Completed { .. } => false,
            Permitted::Indeterminate { .. } => true,
            other => panic!("{body}: {other:?}"),
        }
    };
    for (body, undefined) in [
        // A part of a warp, a guard, two sides, a part that arrives; one side is a whole warp.
        (format!("{half} @!%p2 bra c; bar.sync 0;\nc: {store}"), true),
        (format!("{half} @%p1 bar.sync 0; {store}"), true),
        (both("bar.sync 0;"), true),
        (both("barrier.sync.aligned 0;"), true),
        (format!("{half} @!%p3 bra c; @%p1 bar.arrive 1, 32; @!%p1 bar.arrive 1, 32;\nc: {store}"), true),
        (format!("{half} @%p3 bra a; bar.sync 0; bra c;\na: bar.sync 0;\nc: {store}"), false),
        // A barrier that is not aligned is each thread's own.
        (both("barrier.sync 0;"), false),
        (format!("{half} @!%p2 bra c; barrier.sync 0;\nc: {store}"), false),
        // Threads that leave early, by a branch or at once.
        (format!("{half} @!%p2 bra c; bar.sync 0; {store}\nc:"), false),
        (format!("{half} @!%p2 exit; bar.sync 0; {store}"), false),
        // Threads that come later: each loops as often as its number says.
        (
            format!(
                "{half} mov.u32 %r2, 0;\nl: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %t; @%p1 bra l; bar.sync 0; {store}"
            ),
            false,
        ),
        (
            format!(
                "{half} mul.lo.u32 %r3, %t, 50; mov.u32 %r2, 0;\nl: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3; @%p1 bra l; bar.sync 0; {store}"
            ),
            false,
        ),
    ] {
        assert_eq!(is_undefined(&body), undefined, "{body}");
    }
    let (place, why) = Kernel::new(&both("bar.sync 0;"), 64, 64).indeterminate();
    assert!(place.contains("`bar.sync 0;`, line") && why.contains("the barrier is aligned"), "{place} {why}");
}

/// What a thread does after `bar.arrive` comes before nothing that the barrier orders.
#[test]
fn bar_arrive_orders_what_came_before_it() {
    let body = |before: &str, after: &str| {
        format!(
            ".shared .align 4 .b32 s;\nsetp.lt.u32 %p1, %t, 32; setp.eq.u32 %p2, %t, 0; mov.u32 %r1, 0; @!%p1 bra wait;\n\
             {before} bar.arrive 1, 64; {after} bra end;\nwait: bar.sync 1, 64; ld.shared.u32 %r1, [s];\nend: st.global.u32 [%mine], %r1;"
        )
    };
    let store = "@%p2 st.shared.u32 [s], 7;";
    assert_eq!(Kernel::new(&body(store, ""), 64, 64).words()[32..], [7; 32]);
    assert!(Kernel::new(&body("", store), 64, 64).defined()[32..].iter().all(|mask| *mask == 0));
}
