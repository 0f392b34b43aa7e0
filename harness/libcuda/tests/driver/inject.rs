//! Faults on demand, in builds with the feature `inject`.

use std::process::{Command, Output};

use crate::library::Cuda;

const VARIABLE: &str = "WARPDIFF_CUDA_INJECT";

/// Launches kernels that store 2 in a byte; answers what synchronising says and what is stored.
#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn struck() {
    let text = |name: &str| {
        format!(
            ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry {name}(.param .u64 out)
            {{ .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [out]; mov.u32 %r, 2; st.global.u8 [%rd], %r; ret; }}"
        )
    };
    for name in ["good", "bad"] {
        let cuda = Cuda::new();
        let kernel = cuda.kernel(cuda.module(&text(name)), name);
        let out = cuda.buffer(&[0; 1]);
        assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
        println!("{name}: {} {:?}", cuda.synchronize(), cuda.read(out, 1));
    }
}

/// Runs `struck` in a process in which faults are asked for.
fn again(list: &str) -> Output {
    let file = std::env::current_exe().expect("the test knows where it is");
    let mut command = Command::new(file);
    command.args(["--exact", "inject::struck", "--ignored", "--nocapture"]).env(VARIABLE, list);
    command.output().expect("the test runs again")
}

#[test]
fn exactly_the_named_kernel_is_struck() {
    for (fault, expected) in [
        ("none", "0 Ok([2])"),
        ("wrong-byte", "0 Ok([3])"),
        ("fault", "700 Err(700)"),
        ("code", "4242 Err(4242)"),
    ] {
        let output = again(&format!("{fault}:bad"));
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains("good: 0 Ok([2])"), "{fault}: {out}");
        assert!(out.contains(&format!("bad: {expected}")), "{fault}: {out}");
    }
}

#[test]
fn a_crash_takes_the_process_down() {
    let output = again("crash:bad");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && out.contains("good: 0 Ok([2])") && !out.contains("bad:"), "{out}");
}
