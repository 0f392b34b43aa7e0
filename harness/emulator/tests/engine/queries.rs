//! `suq`, end to end; the answers have their own tests.

use crate::kernel::Kernel;
use warpdiff_model::{Geometry, Surface};

fn stack() -> Surface {
    Surface {
        name: "stack".into(),
        geometry: Geometry::A2d,
        extent: [6, 5, 1],
        layers: 3,
        format: "s16x2".parse().expect("a format"),
        bytes: vec![0; 6 * 5 * 3 * 4],
        bound_to: Some("stack_ref".into()),
    }
}

#[test]
fn by_name_by_pointer_and_by_handle() {
    for object in ["stack_ref", "%surface", "%d1"] {
        let body = format!(
            "mov.u64 %d1, stack_ref; suq.width.b32 %r1, [{object}]; suq.height.b32 %r2, [{object}]; \
             suq.array_size.b32 %r3, [{object}]; suq.channel_data_type.b32 %r4, [{object}]; suq.channel_order.b32 %r5, [{object}]; \
             st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2; st.global.u32 [%out+8], %r3; \
             st.global.u32 [%out+12], %r4; st.global.u32 [%out+16], %r5;"
        );
        let kernel = Kernel::new(&body, 1, 5).outside(".global .surfref stack_ref;\n").surface(stack());
        assert_eq!(kernel.words(), [6, 5, 3, 0x10D8, 0x10B2], "{object}");
        // Another language has other numbers.
        assert_eq!(kernel.allowed().outcomes.len(), 2);
    }
}

#[test]
fn an_undefined_handle_is_indeterminate() {
    let (place, origin) = Kernel::new("suq.width.b32 %r1, [%d9];", 1, 1).indeterminate();
    assert!(place.starts_with("the surface handle of `suq.width"), "{place}");
    assert!(origin.starts_with("depends on undefined bits: `%d9`, not written before"), "{origin}");
}

#[test]
fn a_query_writes_only_where_its_guard_holds() {
    let body = "mov.u32 %r1, 77; setp.eq.u32 %p1, %t, 1; @%p1 suq.width.b32 %r1, [%surface]; st.global.u32 [%mine], %r1;";
    assert_eq!(
        Kernel::new(body, 3, 3).outside(".global .surfref stack_ref;\n").surface(stack()).words(),
        [77, 6, 77]
    );
}
