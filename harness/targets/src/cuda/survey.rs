//! `probe`: experiments on a device that no case can express. Each runs in a process of its own, because some leave the context
//! unusable.

use std::path::Path;
use std::time::{Duration, Instant};

use warpdiff_model::{ChannelType, Format, Geometry, Surface};

use super::CudaName;
use super::array::Array;
use super::driver::{Driver, Module, Shape};
use super::result::Refusal;

/// A question about a device, and the experiment that answers it.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name on the command line.
    pub name: &'static str,
    /// The question, in a sentence.
    pub question: &'static str,
    run: fn(&CudaName) -> Result<Answers, String>,
}

/// The steps of an experiment with their results, in order.
pub type Answers = Vec<(String, String)>;

impl Probe {
    /// Every probe.
    pub const ALL: [Probe; 16] = [
        Probe {
            name: "start",
            question: "How long does a new process take to finish its first kernel?",
            run: start,
        },
        Probe {
            name: "arrays",
            question: "For which formats, channel counts and geometries does the driver create surfaces?",
            run: arrays,
        },
        Probe {
            name: "rebinding",
            question: "Does a launch see the surface that a reference was bound to last?",
            run: rebinding,
        },
        Probe {
            name: "globals",
            question: "Which variables does the driver find by name, and what does a 4-byte generic() initialiser write?",
            run: globals,
        },
        Probe {
            name: "shared-addresses",
            question: "What is the address of a shared variable, and which bytes lie below it?",
            run: shared_addresses,
        },
        Probe {
            name: "below-load",
            question: "Does a load from the last word below 0x400 of shared memory fault?",
            run: |name| below(name, "ld.volatile.shared.u32 %r, [%s];"),
        },
        Probe {
            name: "below-store",
            question: "Does a store to the last word below 0x400 of shared memory fault?",
            run: |name| below(name, "st.volatile.shared.u32 [%s], %r;"),
        },
        Probe {
            name: "below-atomic",
            question: "Does an atomic operation on the last word below 0x400 of shared memory fault?",
            run: |name| below(name, "atom.shared.add.u32 %r, [%s], 1;"),
        },
        Probe {
            name: "null-query",
            question: "What does suq return for the handle 0?",
            run: |name| of_nothing(name, "", "mov.u64 %h, 0; suq.width.b32 %r, [%h];"),
        },
        Probe {
            name: "null-load",
            question: "What does suld return for the handle 0?",
            run: |name| of_nothing(name, "", "mov.u64 %h, 0; suld.b.1d.b32.zero %r, [%h, {0}];"),
        },
        Probe {
            name: "unbound-query",
            question: "What does suq return for an unbound surface reference?",
            run: |name| of_nothing(name, ".global .surfref s;", "suq.width.b32 %r, [s];"),
        },
        Probe {
            name: "unbound-load",
            question: "What does suld return for an unbound surface reference?",
            run: |name| of_nothing(name, ".global .surfref s;", "suld.b.1d.b32.zero %r, [s, {0}];"),
        },
        Probe {
            name: "recovery-address",
            question: "After an illegal address, does a new context work, or the primary context after a reset, and how long does each take?",
            run: |name| recovery(name, "mov.u64 %a, 0; st.global.u32 [%a], 1;"),
        },
        Probe {
            name: "recovery-misaligned",
            question: "After a misaligned address, does a new context work, or the primary context after a reset, and how long does each take?",
            run: |name| recovery(name, "add.u64 %a, %a, 1; st.global.u32 [%a], 1;"),
        },
        Probe {
            name: "recovery-trap",
            question: "After a trap, does a new context work, or the primary context after a reset, and how long does each take?",
            run: |name| recovery(name, "trap;"),
        },
        Probe {
            name: "compilation",
            question: "How long does the driver compile 1, 100 and 1,000 kernels, in one thread and in several?",
            run: compilation,
        },
    ];

    /// The probe with this name.
    pub fn of_name(name: &str) -> Option<&'static Probe> {
        Self::ALL.iter().find(|probe| probe.name == name)
    }

    /// Runs the experiment. A refusal by the driver is an answer.
    ///
    /// # Errors
    /// Why the experiment could not be run, as a lowercase fragment.
    pub fn run(&self, name: &CudaName) -> Result<Answers, String> {
        (self.run)(name)
    }
}

/// A module with one kernel `k(.param .u64 p)`; `%a` is the global address in `p`.
fn module(declarations: &str, registers: &str, body: &str) -> String {
    format!(
        ".version 6.0\n.target sm_50\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .u64 %a;\n{registers}\nld.param.u64 %a, [p];\ncvta.to.global.u64 %a, %a;\n{body}\nret;\n}}\n"
    )
}

fn open(name: &CudaName) -> Result<Driver, String> {
    Driver::open(name.library.as_deref().map(Path::new), name.ordinal)
}

fn words(refusal: Refusal) -> String {
    refusal.to_string()
}

/// Milliseconds, as they are printed.
fn milliseconds(elapsed: Duration) -> String {
    format!("{:.2} ms", elapsed.as_secs_f64() * 1e3)
}

/// Loads a module, runs its kernel `k` on a fresh buffer, and returns the buffer.
fn ran(driver: &Driver, level: Option<u8>, text: &str, bytes: usize) -> Result<Vec<u8>, String> {
    let module = driver.load(text, level).map_err(|refusal| format!("{refusal} {}", driver.log()))?;
    ran_in(driver, module, bytes)
}

fn ran_in(driver: &Driver, module: Module, bytes: usize) -> Result<Vec<u8>, String> {
    let kernel = driver.kernel(module, "k", vec![8]).map_err(words)?;
    let buffer = driver.allocate(bytes).map_err(words)?;
    driver.upload(buffer, &vec![0; bytes]).map_err(words)?;
    let shape = Shape { grid: [1; 3], block: [1; 3], shared: 0 };
    driver.launch(&kernel, shape, &mut [buffer.to_le_bytes().to_vec()]).map_err(words)?;
    driver.synchronize().map_err(words)?;
    let found = driver.download(buffer, bytes).map_err(words)?;
    driver.free(buffer).map_err(words)?;
    Ok(found)
}

/// Stores 7, to show that the context works.
fn works(driver: &Driver, level: Option<u8>) -> String {
    match ran(driver, level, &module("", "", "st.global.u32 [%a], 7;"), 4) {
        Ok(bytes) if bytes == [7, 0, 0, 0] => "works".into(),
        Ok(bytes) => format!("stores {bytes:02x?}, expected 7"),
        Err(why) => why,
    }
}

fn start(name: &CudaName) -> Result<Answers, String> {
    let begun = Instant::now();
    let driver = open(name)?;
    let opened = begun.elapsed();
    let first = works(&driver, name.level);
    Ok(vec![
        ("context".into(), milliseconds(opened)),
        ("first kernel".into(), format!("{first}, {}", milliseconds(begun.elapsed()))),
    ])
}

fn arrays(name: &CudaName) -> Result<Answers, String> {
    let driver = open(name)?;
    let geometries = [
        (Geometry::D1, "1d", [16, 1, 1], 1),
        (Geometry::D2, "2d", [16, 8, 1], 1),
        (Geometry::D3, "3d", [16, 8, 4], 1),
        (Geometry::A1d, "a1d", [16, 1, 1], 3),
        (Geometry::A2d, "a2d", [16, 8, 1], 3),
    ];
    let surface = |geometry, extent, layers, format| Surface {
        name: "probe".into(),
        geometry,
        extent,
        layers,
        format,
        bytes: Vec::new(),
        bound_to: None,
    };
    let mut answers = Vec::new();
    for (geometry, word, extent, layers) in geometries {
        for (channel, _) in ChannelType::ALL {
            for channels in [1, 2, 4] {
                let format = Format { channel, channels };
                let array = driver.array(&surface(geometry, extent, layers, format));
                answers.push((format!("{word} {format}"), made(&driver, array)));
            }
        }
    }
    let format = Format { channel: ChannelType::U32, channels: 1 };
    let array = driver.array_without_stores(&surface(Geometry::D2, [16, 8, 1], 1, format));
    answers.push((format!("without surface load and store, 2d {format}"), made(&driver, array)));
    Ok(answers)
}

/// Whether the driver made the array, and makes a surface object of it.
fn made(driver: &Driver, array: Result<Array, Refusal>) -> String {
    let array = match array {
        Ok(array) => array,
        Err(refusal) => return format!("no array: {refusal}"),
    };
    let answer = match driver.surface(array) {
        Ok(handle) => driver.destroy_surface(handle).map_or_else(words, |()| "made".into()),
        Err(refusal) => format!("an array, but no surface object: {refusal}"),
    };
    match driver.destroy(array) {
        Ok(()) => answer,
        Err(refusal) => format!("{answer}; not destroyed: {refusal}"),
    }
}

fn rebinding(name: &CudaName) -> Result<Answers, String> {
    let driver = open(name)?;
    let body = "suld.b.1d.b32.trap %r, [s, {0}];\nst.global.b32 [%a], %r;";
    let text = module(".global .surfref s;", ".reg .b32 %r;", body);
    let module = driver.load(&text, name.level).map_err(words)?;
    let format = Format { channel: ChannelType::U32, channels: 1 };
    let surface = |value: u32| Surface {
        name: "s".into(),
        geometry: Geometry::D1,
        extent: [1, 1, 1],
        layers: 1,
        format,
        bytes: value.to_le_bytes().to_vec(),
        bound_to: None,
    };
    let mut answers = Vec::new();
    for (when, value) in [("bound to a surface that holds 10", 10), ("then to one that holds 20", 20)] {
        let bound = || {
            let array = driver.array(&surface(value))?;
            driver.fill(array, &value.to_le_bytes())?;
            driver.bind(module, "s", array)
        };
        let answer = bound().map_err(words).and_then(|()| ran_in(&driver, module, 4));
        answers
            .push((when.into(), answer.map_or_else(|why| why, |bytes| format!("loads {}", number(&bytes)))));
    }
    Ok(answers)
}

/// Up to four bytes as a number.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

fn globals(name: &CudaName) -> Result<Answers, String> {
    let driver = open(name)?;
    let tried = [
        ("plain", ".global .u32 plain = 5;"),
        ("constant", ".const .u32 constant = 6;"),
        ("managed", ".global .attribute(.managed) .u32 managed = 7;"),
        ("shared", ".shared .u32 shared;"),
        ("surface", ".global .surfref surface;"),
        (
            "narrow",
            ".global .u32 target = 8;\n.global .u32 narrow = generic(target);\n.global .u32 after = 0x11111111;",
        ),
        (
            "after",
            ".global .u32 target = 8;\n.global .u32 narrow = generic(target);\n.global .u32 after = 0x11111111;",
        ),
    ];
    let one = |variable: &str, declarations: &str| -> Result<String, Refusal> {
        let module = driver.load(&module(declarations, "", ""), name.level)?;
        let (address, size) = driver.variable(module, variable)?;
        let bytes = driver.download(address, size)?;
        driver.unload(module)?;
        Ok(format!("{size} bytes: {}", warpdiff_corpus::bytes::hex(&bytes)))
    };
    let answer = |(variable, declarations): (&str, &str)| {
        (variable.to_owned(), one(variable, declarations).unwrap_or_else(words))
    };
    Ok(tried.into_iter().map(answer).collect())
}

/// Bytes of shared memory below a variable that are read.
const BELOW: usize = 0x400;

fn shared_addresses(name: &CudaName) -> Result<Answers, String> {
    let driver = open(name)?;
    let declarations = ".shared .align 16 .b8 cells[64];";
    let address = module(declarations, ".reg .u32 %r;", "mov.u32 %r, cells;\nst.global.u32 [%a], %r;");
    let address = ran(&driver, name.level, &address, 4);
    let mut answers = vec![(
        "address".to_owned(),
        address.map_or_else(|why| why, |bytes| format!("{:#x}", number(&bytes))),
    )];
    let body = format!(
        "st.volatile.shared.u32 [cells], 1;\nmov.u32 %r, 0;\nnext:\nld.volatile.shared.u32 %v, [%r];\n\
         st.global.u32 [%a], %v;\nadd.u64 %a, %a, 4;\nadd.u32 %r, %r, 4;\nsetp.lt.u32 %p, %r, {BELOW};\n@%p bra next;"
    );
    let below = module(declarations, ".reg .u32 %r, %v;\n.reg .pred %p;", &body);
    let below = ran(&driver, name.level, &below, BELOW).map(|bytes| {
        let set = bytes.iter().filter(|byte| **byte != 0).count();
        format!(
            "{set} of {BELOW} bytes are not zero; the first are {}",
            warpdiff_corpus::bytes::hex(&bytes[..32])
        )
    });
    answers.push(("bytes from 0 on".into(), below.unwrap_or_else(|why| why)));
    Ok(answers)
}

/// Result of one access to the last word below 0x400 of shared memory. It has a probe of its own, as it may destroy the context.
fn below(name: &CudaName, access: &str) -> Result<Answers, String> {
    let driver = open(name)?;
    let body = format!(
        "mov.u32 %s, cells;\nst.global.u32 [%a], %s;\nmov.u32 %r, 5;\nst.volatile.shared.u32 [%s], %r;\n\
         mov.u32 %s, {};\n{access}\nst.global.u32 [%a+4], %r;",
        BELOW - 4
    );
    let text = module(".shared .align 16 .b8 cells[64];", ".reg .u32 %r, %s;", &body);
    let answer = ran(&driver, name.level, &text, 8);
    let words = |bytes: Vec<u8>| {
        let (first, given) = (number(&bytes), number(&bytes[4..]));
        format!("no fault, returns {given:#x}; the block's variables begin at {first:#x}")
    };
    Ok(vec![("the access".into(), answer.map_or_else(|why| why, words))])
}

/// Result `%r` of an instruction without a surface.
fn of_nothing(name: &CudaName, declarations: &str, body: &str) -> Result<Answers, String> {
    let driver = open(name)?;
    let body = format!("{body}\nst.global.u32 [%a], %r;");
    let answer = ran(&driver, name.level, &module(declarations, ".reg .u64 %h;\n.reg .b32 %r;", &body), 4);
    Ok(vec![(
        "the access".into(),
        answer.map_or_else(|why| why, |bytes| format!("returns {:#x}", number(&bytes))),
    )])
}

/// Causes a fault, then tries which contexts still work in this process.
fn recovery(name: &CudaName, body: &str) -> Result<Answers, String> {
    let driver = open(name)?;
    let fault = ran(&driver, name.level, &module("", "", body), 16);
    let mut answers = vec![("the fault".to_owned(), fault.map_or_else(|why| why, |_| "none".into()))];
    answers.push(("the same context".into(), works(&driver, name.level)));
    let mut tried = |what: &str, again: &dyn Fn() -> Result<(), Refusal>| {
        let begun = Instant::now();
        let answer = again().map_or_else(words, |()| works(&driver, name.level));
        answers.push((what.into(), format!("{answer}, {}", milliseconds(begun.elapsed()))));
    };
    tried("a new context", &|| driver.new_context(name.ordinal));
    tried("the device's own context, reset", &|| driver.reset(name.ordinal));
    Ok(answers)
}

/// A module of many kernels, to time its compilation. `salt` varies the text, so that no cache has it.
fn many(kernels: usize, salt: usize) -> String {
    let mut text = String::from(".version 6.0\n.target sm_50\n.address_size 64\n");
    for kernel in 0..kernels {
        text.push_str(&format!(
            ".visible .entry k{kernel}(.param .u64 p)\n{{\n.reg .u64 %a;\n.reg .u32 %r<4>;\nld.param.u64 %a, [p];\n\
             cvta.to.global.u64 %a, %a;\nld.global.u32 %r0, [%a];\nmul.lo.u32 %r1, %r0, {};\n\
             xor.b32 %r2, %r1, {kernel};\nadd.u32 %r3, %r2, %r0;\nst.global.u32 [%a], %r3;\nret;\n}}\n",
            salt + 3
        ));
    }
    text
}

fn compilation(name: &CudaName) -> Result<Answers, String> {
    let driver = open(name)?;
    let mut answers = Vec::new();
    for kernels in [1, 100, 1000] {
        let begun = Instant::now();
        let loaded =
            driver.load(&many(kernels, kernels), name.level).and_then(|module| driver.unload(module));
        let took = milliseconds(begun.elapsed());
        answers.push((format!("{kernels} kernels"), loaded.map_or_else(words, |()| took)));
    }
    for threads in [4, 16] {
        let begun = Instant::now();
        let compile = |salt: usize| -> Result<(), String> {
            let driver = open(name)?;
            driver.load(&many(100, 10_000 + salt), name.level).map_err(words)?;
            Ok(())
        };
        let all: Result<(), String> = std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..threads).map(|thread| scope.spawn(move || compile(threads * 100 + thread))).collect();
            running.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|_| Err("a compiling thread panicked".into()))
            })
        });
        let took = milliseconds(begun.elapsed());
        answers.push((
            format!("100 kernels in each of {threads} threads"),
            all.map_or_else(|why| why, |()| took),
        ));
    }
    Ok(answers)
}
