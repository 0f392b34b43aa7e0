//! A month of nights on a device: each night's exit code, JUnit report, step summary and expectations are golden files, to be read as
//! the engineer on call reads them. The device is our driver library, which is told what to do wrong.
//!
//! `SNAPSHOTS=overwrite cargo test -p warpdiff --test it nights::` writes the golden files anew.
#![cfg(target_os = "linux")]

mod month;

use self::month::Month;
use crate::driver_library::library;

const DEVIATIONS: &str = "WARPDIFF_CUDA_DEVIATIONS";
const INJECT: &str = "WARPDIFF_CUDA_INJECT";
const RELEASE: &str = "WARPDIFF_CUDA_DRIVER";
const CLAMP: &str = "suld.clamp-as-zero";
const EXPECTATIONS: &str = "expectations/h200.yaml";
const BUG: &str = "https://example.com/bugs/4711";

#[test]
fn a_month_of_nights() {
    let month = &Month::begin(&library());
    a_regression_is_waived(month);
    a_flake_comes_and_goes(month);
    stores_break_and_are_repaired_one_by_one(month);
    the_regression_is_repaired(month);
    the_driver_changes(month);
    the_machinery_fails(month);
}

fn a_regression_is_waived(month: &Month) {
    month.night("2026-11-02", "everything conforms", |night| {
        night.device(RELEASE, "570.124.06");
        night.job(&[], 0);
    });
    month.night("2026-11-03", "a build of the driver loads zero beyond the edge of a surface", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.job(&[], 1);
        let proposed = night.morning(
            &[
                "expect",
                "--from",
                "results/2026-11-03.jsonl",
                "--reason",
                "loads zero beyond the edge",
                "--link",
                BUG,
                "--expires",
                "2026-11-13",
                "--today",
                "2026-11-03",
            ],
            0,
        );
        night.edit(EXPECTATIONS, "what was proposed", |_| proposed);
    });
    month.night("2026-11-04", "the same; it is expected now", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.job(&[], 0);
    });
    month.night("2026-11-05", "another bug at the same place, for one night", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.device(INJECT, "wrong-byte:load_cg");
        night.job(&["--repeat", "3"], 1);
    });
}

fn a_flake_comes_and_goes(month: &Month) {
    month.night("2026-11-06", "a count of threads is wrong, and right when it is run again", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.device(INJECT, "wrong-byte/4:count");
        night.job(&[], 1);
        night.edit(EXPECTATIONS, "the flake is expected, to pass in half of all runs", |text| {
            text + "\nflakes:\n  - variants: atomics/count/*\n    cause: {class: atomicity, deviation: none}\n    passes: 0.5\n    reason: a lost update\n    link: https://example.com/bugs/4712\n    expires: 2026-12-06\n"
        });
    });
    month.night("2026-11-07", "the flake again; it is expected now", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.device(INJECT, "wrong-byte/4:count");
        night.job(&[], 0);
    });
    month.night("2026-11-08", "the flake does not show", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.job(&[], 0);
    });
    month.night("2026-11-09", "the flake fails every time: its pass rate cannot be right", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.device(INJECT, "wrong-byte:count");
        night.job(&[], 1);
    });
}

fn stores_break_and_are_repaired_one_by_one(month: &Month) {
    month.night("2026-11-10", "two kinds of stores write a wrong byte", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.device(INJECT, "wrong-byte:pair_wb,wrong-byte:pair_cg");
        night.job(&["--repeat", "8"], 1);
        night.bless();
    });
    month.night("2026-11-11", "one of them is repaired", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.device(INJECT, "wrong-byte:pair_cg");
        night.job(&[], 6);
        night.bless();
    });
    month.night("2026-11-12", "the other one, too", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.job(&[], 6);
        night.bless();
    });
}

fn the_regression_is_repaired(month: &Month) {
    month.night("2026-11-14", "the waiver of the regression has expired, and nobody looked", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(DEVIATIONS, CLAMP);
        night.job(&[], 6);
        night.edit(EXPECTATIONS, "the regression may stay until the end of the month", |text| {
            text.replace("expires: 2026-11-13", "expires: 2026-11-30")
        });
    });
    month.night("2026-11-16", "the driver repairs one load: what is left is another bug", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(INJECT, "suld.clamp-as-zero:load_cg");
        night.job(&["--repeat", "8"], 1);
        night.bless();
    });
    month.night("2026-11-17", "the driver repairs the other load, too", |night| {
        night.device(RELEASE, "570.124.06");
        night.job(&[], 6);
        night.bless();
    });
    month.night("2026-11-18", "everything conforms again; the device is recorded", |night| {
        night.device(RELEASE, "570.124.06");
        night.job(&[], 0);
        night.morning(&["record", "--against", "cuda", "--jobs", "1", "-o", "golden/devices/h200"], 0);
    });
}

fn the_driver_changes(month: &Month) {
    month.night("2026-11-19", "a new driver reports traps of surfaces with another code", |night| {
        night.device(RELEASE, "575.51.03");
        night.device(INJECT, "fault:outside");
        night.job(&[], 3);
        night.edit(EXPECTATIONS, "what only the old driver does is bound to it", |text| {
            text.replace("    passes: 0.5\n", "    passes: 0.5\n    driver: ..570\n")
        });
    });
    month.night("2026-11-20", "the flake, under a driver for which it is not expected", |night| {
        night.device(RELEASE, "575.51.03");
        night.device(INJECT, "wrong-byte/4:count,fault:outside");
        night.job(&[], 1);
    });
}

fn the_machinery_fails(month: &Month) {
    month.night(
        "2026-11-21",
        "three shards; one dies with its machine, and goes on in the morning",
        |night| {
            night.device(RELEASE, "570.124.06");
            for number in [1, 2] {
                let shard = night.shard(number, 3, &[]);
                night.ends(shard, true, 0);
            }
            let shard = night.shard(3, 3, &["--resume", "journal", "--time-limit", "600"]);
            night.device(INJECT, "hang:join");
            night.ends_by(shard.clone(), "journal", 3, libc::SIGKILL);
            let merge = |night: &mut month::Night<'_>, code| {
                let shards = [1, 2, 3].map(|number| format!("results/2026-11-21-{number}.jsonl"));
                let mut arguments = vec!["merge".to_owned()];
                arguments.extend(shards);
                arguments.extend([
                    "--results".into(),
                    "results/2026-11-21.jsonl".into(),
                    "--junit".into(),
                    "junit.xml".into(),
                ]);
                night.ends(arguments, true, code);
            };
            merge(night, 4);
            night.device(INJECT, "");
            night.ends(shard, true, 0);
            merge(night, 0);
        },
    );
    month.night("2026-11-23", "a launch hangs, and the CI service ends the job", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(INJECT, "hang:join");
        let mut job = night.shard(1, 1, &["--resume", "journal-23", "--time-limit", "600"]);
        job.retain(|argument| argument != "--shard" && argument != "1/1");
        night.ends_by(job, "journal-23", 10, libc::SIGTERM);
    });
    month.night("2026-11-24", "a launch hangs, and the job has a time of its own", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(INJECT, "hang:count");
        night.job(&["--max-time", "1", "--time-limit", "600"], 5);
    });
    month.night("2026-11-25", "a launch hangs, and the others are judged", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(INJECT, "hang:join");
        night.job(&["--time-limit", "4", "--repeat", "1"], 1);
    });
    month.night("2026-11-26", "the driver crashes at one kernel", |night| {
        night.device(RELEASE, "570.124.06");
        night.device(INJECT, "crash:pair");
        night.job(&["--repeat", "1"], 1);
    });
    month.night("2026-11-27", "a case was renamed, and the expectation was forgotten", |night| {
        night.device(RELEASE, "570.124.06");
        night.edit("cases/atomics/count.yaml", "its title says what is counted", |text| {
            text.replace("atom.add counts every thread", "atom.add counts 32 threads")
        });
        night.edit(EXPECTATIONS, "an entry names the case by its old title", |text| {
            text.replace("atomics/count/*", "atomics/count/atom.add counts every thread")
        });
        night.job(&[], 6);
    });
    month.night("2026-11-28", "the driver is not there", |night| {
        std::fs::remove_file(month.path("driver/libcuda.so.1")).unwrap();
        night.job(&[], 5);
    });
}
