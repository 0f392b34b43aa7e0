//! The files that CI services read: every step of them is a script of `ci/` that is there, reports are kept whatever a job ends with, and what
//! a pod's exit code leads to fits the documented codes.

use std::path::{Path, PathBuf};

use serde_json::Value;
use warpdiff_judge::exit_code::Exit;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(file: &str) -> Value {
    let text = std::fs::read_to_string(top().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The script that a command line runs; it begins with its name and is one command.
#[track_caller]
fn is_script(line: &str, whence: &str) {
    let name = line.split(' ').next().unwrap();
    assert!(name.starts_with("ci/") || name == ".ci/run", "{whence}: `{line}` runs no script of ci/");
    assert!(!line.contains(['\n', ';', '|', '&', '`']), "{whence}: `{line}` is more than one command");
    is_program(name, whence);
}

#[track_caller]
fn is_program(name: &str, whence: &str) {
    let path = top().join(name);
    assert!(path.is_file(), "{whence}: there is no {name}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = path.metadata().unwrap().permissions().mode();
        assert!(mode & 0o111 != 0, "{whence}: {name} cannot be executed");
    }
}

const WORKFLOWS: [&str; 3] = ["ci", "nightly", "release"];

fn jobs(workflow: &str) -> Vec<(String, Value)> {
    let file = read(&format!(".github/workflows/{workflow}.yml"));
    let jobs = file["jobs"].as_object().unwrap().clone();
    jobs.into_iter().map(|(name, job)| (format!("{workflow}/{name}"), job)).collect()
}

#[test]
fn github_runs_scripts_only() {
    let mut scripts = 0;
    for (name, job) in WORKFLOWS.iter().flat_map(|workflow| jobs(workflow)) {
        for step in job["steps"].as_array().unwrap() {
            match (&step["uses"], &step["run"]) {
                // Checking out, and carrying files between jobs, which no script can do.
                (Value::String(action), Value::Null) => {
                    assert!(action.starts_with("actions/"), "{name}: {action}")
                }
                (Value::Null, Value::String(line)) => {
                    is_script(line, &name);
                    scripts += 1;
                }
                _ => panic!("{name}: {step}"),
            }
        }
    }
    assert!(scripts >= 15, "{scripts}");
}

/// A report that is only there when nothing is wrong is of no use.
#[test]
fn github_keeps_what_a_night_left_whatever_it_ended_with() {
    let mut kept = 0;
    for (name, job) in jobs("nightly") {
        let steps = job["steps"].as_array().unwrap();
        let judges = |step: &Value| {
            let line = step["run"].as_str().unwrap_or_default();
            ["ci/gpu-shard.sh", "ci/gpu-merge.sh", "ci/fuzz-hour.sh", "ci/nightly.sh"]
                .iter()
                .any(|script| line.starts_with(script))
        };
        let Some(place) = steps.iter().position(judges) else { continue };
        let upload = &steps[place + 1];
        assert!(upload["uses"].as_str().unwrap().starts_with("actions/upload-artifact@"), "{name}");
        assert_eq!(upload["if"], "always()", "{name}");
        assert!(steps[place]["continue-on-error"].is_null() && job["continue-on-error"].is_null(), "{name}");
        kept += 1;
    }
    assert_eq!(kept, 4);
    // The merge says what is missing when a shard failed, so it runs then as well.
    let nightly = read(".github/workflows/nightly.yml");
    assert!(nightly["jobs"]["merge"]["if"].as_str().unwrap().contains("always()"));
    assert_eq!(nightly["jobs"]["shard"]["strategy"]["fail-fast"], false);
}

#[test]
fn gitlab_runs_the_same_scripts_and_reports_junit() {
    let file = read(".gitlab-ci.yml");
    let mut scripts = Vec::new();
    for (name, job) in file.as_object().unwrap() {
        for line in job["script"].as_array().into_iter().flatten() {
            let line = line.as_str().unwrap();
            is_script(line, name);
            scripts.push(line.split(' ').next().unwrap().to_owned());
        }
        if job["artifacts"]["paths"].is_array()
            && ["shard", "merge", "fuzz", "processors"].contains(&name.as_str())
        {
            assert_eq!(job["artifacts"]["when"], "always", "{name}");
        }
    }
    assert_eq!(file["shard"]["artifacts"]["reports"]["junit"], "shards/$NAME/shard-$SHARD/junit.xml");
    for (_, job) in ["ci", "nightly"].iter().flat_map(|workflow| jobs(workflow)) {
        for step in job["steps"].as_array().unwrap() {
            let Some(line) = step["run"].as_str() else { continue };
            let script = line.split(' ').next().unwrap();
            // GitLab has its list of runners in its own file, and no shared runners of other systems.
            if !["ci/gpu-plan.sh", "ci/other-systems.sh"].contains(&script) {
                assert!(scripts.iter().any(|known| known == script), "GitLab lacks {script}");
            }
        }
    }
    // The shards of each entry are all there.
    for entry in file[".gpus"]["parallel"]["matrix"].as_array().unwrap() {
        let count: usize = entry["SHARDS"].as_str().unwrap().parse().unwrap();
        let listed: Vec<&str> =
            entry["SHARD"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        assert_eq!(listed, (1..=count).map(|n| n.to_string()).collect::<Vec<_>>());
        let mut without = entry.clone();
        without.as_object_mut().unwrap().remove("SHARD");
        assert!(file[".gpu-names"]["parallel"]["matrix"].as_array().unwrap().contains(&without), "{without}");
    }
}

/// What Kubernetes does after each exit code: a finding is not run again, a wrong setting ends everything, and only what may go away by
/// itself is tried once more.
fn is_run_again_as_it_should(job: &Value) {
    let spec = &job["spec"];
    assert_eq!(spec["completionMode"], "Indexed");
    // Without it Kubernetes takes no podFailurePolicy.
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    assert_eq!(spec["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"], 1);
    let rules = spec["podFailurePolicy"]["rules"].as_array().unwrap();
    assert_eq!(
        (&rules[0]["action"], &rules[0]["onPodConditions"][0]["type"]),
        (&"Ignore".into(), &"DisruptionTarget".into())
    );
    let action = |code: u8| {
        let fits = |rule: &&Value| {
            let on = &rule["onExitCodes"];
            on["operator"] == "In" && on["values"].as_array().unwrap().contains(&code.into())
        };
        rules.iter().find(fits).map(|rule| rule["action"].as_str().unwrap().to_owned())
    };
    let codes: Vec<u8> = Exit::ORDER.split(", ").map(|code| code.parse().unwrap()).collect();
    assert_eq!(codes.len(), 8);
    for code in codes {
        let expected = match code {
            2 => Some("FailJob"),
            1 | 3 | 5 | 6 => Some("FailIndex"),
            // 0 is success; 4, a target that broke down, and 7, a signal that was no eviction, are tried once more.
            _ => None,
        };
        assert_eq!(action(code).as_deref(), expected, "exit code {code}");
    }
    assert_eq!(spec["backoffLimitPerIndex"], 1);
    is_program(spec["template"]["spec"]["containers"][0]["command"][0].as_str().unwrap(), "ci/kubernetes");
}

/// The value of a variable of the container of a job.
fn variable(job: &Value, name: &str) -> String {
    let env = job["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap();
    env.iter().find(|one| one["name"] == name).unwrap()["value"].as_str().unwrap().to_owned()
}

#[test]
fn a_pod_with_a_finding_is_not_run_again() {
    let job = read("ci/kubernetes/judge.yaml");
    is_run_again_as_it_should(&job);
    assert_eq!(job["spec"]["completions"].to_string(), variable(&job, "SHARDS"));
    let merge = read("ci/kubernetes/merge.yaml");
    assert_eq!(merge["spec"]["backoffLimit"], 0);
    // Each night has a folder of its own, and the merge joins that one.
    let night = variable(&job, "NIGHT");
    assert!(night.contains("DATE"), "{night}");
    let joins = &merge["spec"]["template"]["spec"]["containers"][0]["command"][1];
    assert_eq!(joins.as_str().unwrap(), format!("{night}/shards"));
    let container = &merge["spec"]["template"]["spec"]["containers"][0];
    is_program(container["command"][0].as_str().unwrap(), "ci/kubernetes");
}

/// Generated programs are divided by their numbers, and what is found is joined.
#[test]
fn pods_of_generated_programs_have_programs_of_their_own() {
    let job = read("ci/kubernetes/fuzz.yaml");
    is_run_again_as_it_should(&job);
    let campaign = variable(&job, "CAMPAIGN");
    assert!(campaign.contains("DATE"), "{campaign}");
    let merge = read("ci/kubernetes/fuzz-merge.yaml");
    assert_eq!(merge["spec"]["backoffLimit"], 0);
    let command = merge["spec"]["template"]["spec"]["containers"][0]["command"].as_array().unwrap();
    let joins = format!("exec warpdiff merge --findings {campaign}/all {campaign}/found-*");
    assert_eq!(command.last().unwrap(), joins.as_str());
}

/// ci/README.md has a line for every script.
#[test]
fn every_script_is_listed() {
    let page = std::fs::read_to_string(top().join("ci/README.md")).unwrap();
    for folder in ["ci", "ci/kubernetes"] {
        for entry in std::fs::read_dir(top().join(folder)).unwrap() {
            let name = format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap());
            let is_script = [".sh", ".py", ".cjs"].iter().any(|ending| name.ends_with(ending));
            assert!(
                !is_script || page.contains(&format!("| `{name}` |")),
                "ci/README.md has no line for {name}"
            );
        }
    }
}

/// The arithmetic of `ci/speed.sh` and `ci/growth.sh`: intervals, growth, and what is said of commands that fail.
#[test]
#[cfg(unix)]
fn measurements_are_judged_as_they_say() {
    python_tests("measure_tests.py");
}

/// `ci/planted.sh` says what is wrong with a deviation that is not found, not named or not kept.
#[test]
#[cfg(unix)]
fn planted_deviations_are_judged_as_they_say() {
    python_tests("planted_tests.py");
}

/// `ci/compiled.sh` goes on where it stopped, and says what is not known.
#[test]
#[cfg(unix)]
fn campaigns_against_a_compiler_go_on_and_are_told() {
    python_tests("campaign_tests.py");
}

/// Runs the tests of a script of `ci/`, where there is a Python.
#[cfg(unix)]
#[track_caller]
fn python_tests(script: &str) {
    use std::process::Command;
    if !Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success()) {
        eprintln!("ignored: there is no python3");
        return;
    }
    let run = Command::new("python3").arg(top().join("ci").join(script)).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && said.ends_with("\nOK\n"), "{said}");
}
