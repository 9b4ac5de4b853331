//! `cupule check`: runs scenes and prints what they expected next to what came out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use cupule_record::{Expectation, Summary};
use cupule_session::Session;
use cupule_session::scene::expect::short;
use cupule_session::scene::model::SolverKind;
use cupule_session::scene::{load, runs_of, shipped_names};
use serde_json::{Value, json};

use crate::Status;
use crate::arguments::{Changes, CheckOptions};
use crate::run::{simulate, status};
use crate::show;

/// Runs scenes and tests their expectations.
pub fn check(options: &CheckOptions) -> Status {
    let asked = if options.scenes.is_empty() {
        shipped_names().map(String::from).collect()
    } else {
        options.scenes.clone()
    };
    // A scene that cannot be read stays in the list and says why when its turn comes.
    let runs = asked.into_iter().flat_map(|scene| runs_of(&scene).unwrap_or_else(|_| vec![scene]));
    // Who names a scene wants to see it under any solver.
    let wanted = |run: &String| !options.scenes.is_empty() || is_promised(run, options);
    let (scenes, others): (Vec<String>, Vec<String>) = runs.partition(wanted);
    let mut worst = Status::Done;
    let mut table = Vec::new();
    let all_cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.map_or_else(all_cores, usize::from).min(scenes.len());
    let mut take = |scene: &str, result: Result<Summary, String>| {
        worst = worse(worst, result.as_ref().map_or(Status::BadInput, status));
        match (&result, options.json) {
            (Ok(summary), false) => print(summary),
            (Err(message), false) => say!("FAIL  {}\n", complaint(scene, message)),
            (Ok(summary), true) => table.push(entry(scene, summary)),
            (Err(message), true) => {
                table.push(json!({ "scene": scene, "ok": false, "error": message, "expect": [] }))
            }
        }
    };
    if jobs <= 1 {
        let all = rayon::current_num_threads();
        let check = |scene| on_threads(all, || check_one(scene, options, options.json));
        scenes.iter().for_each(|scene| take(scene, check(scene)));
    } else {
        each_in_order(&scenes, jobs, |scene| check_alone(scene, options), take);
    }
    if options.json {
        say!("{:#}", json!({ "ok": worst == Status::Done, "scenes": table }));
    } else {
        say!("{}", verdict(worst, scenes.len()));
        if let (Some(solver), left @ 1..) = (&options.solver, others.len()) {
            say!("{left} runs promise nothing under {solver} and were left out");
        }
    }
    worst
}

/// Whether a run's expectations are promised under the solver that is asked for.
fn is_promised(run: &str, options: &CheckOptions) -> bool {
    let Some(kind) = options.solver.as_deref().and_then(SolverKind::named) else { return true };
    load(run, &[]).map_or(true, |loaded| loaded.scene.solver.promises(kind))
}

/// Runs every scene, `jobs` at once and each on one thread, and hands on what came out in the order of the list.
fn each_in_order<R: Send>(
    scenes: &[String],
    jobs: usize,
    run: impl Fn(&str) -> R + Sync,
    mut take: impl FnMut(&str, R),
) {
    let (next, run) = (&AtomicUsize::new(0), &run);
    let (send, receive) = mpsc::channel();
    let work = move |send: mpsc::Sender<(usize, R)>| {
        let take_next = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            scenes.get(index).map(|scene| (index, scene))
        };
        while let Some((index, scene)) = take_next() {
            if send.send((index, run(scene))).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            let send = send.clone();
            scope.spawn(move || work(send));
        }
        // From here on only workers can send: should all of them be gone, nothing is waited for.
        drop(send);
        let mut early = BTreeMap::new();
        for (due, scene) in scenes.iter().enumerate() {
            while !early.contains_key(&due) {
                let Ok((index, result)) = receive.recv() else { return };
                early.insert(index, result);
            }
            early.remove(&due).into_iter().for_each(|result| take(scene, result));
        }
    });
}

/// A scene is too small to share: on one thread each, several take less time than one after the other.
fn check_alone(scene: &str, options: &CheckOptions) -> Result<Summary, String> {
    on_threads(1, || check_one(scene, options, true))
}

fn on_threads(
    threads: usize,
    run: impl FnOnce() -> Result<Summary, String> + Send,
) -> Result<Summary, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| error.to_string())?.install(run)
}

fn check_one(scene: &str, options: &CheckOptions, quiet: bool) -> Result<Summary, String> {
    let mut summary = run_one(scene, options, quiet)?;
    if options.bits {
        let here = rayon::current_num_threads();
        let there = if here == 1 { 2 } else { 1 };
        let again = on_threads(there, || run_one(scene, options, true))?;
        let ok = again.state_hash == summary.state_hash;
        summary.ok &= ok;
        summary.expect.push(Expectation {
            name: format!(
                "the same bits at the end with {} and {} threads",
                here.min(there),
                here.max(there)
            ),
            ok,
            value: None,
            bound: format!("{} and {}", summary.state_hash, again.state_hash),
            found: None,
            why: None,
        });
    }
    Ok(summary)
}

fn run_one(scene: &str, options: &CheckOptions, quiet: bool) -> Result<Summary, String> {
    let changes = Changes { solver: options.solver.clone(), ..Changes::default() };
    let mut loaded = load(scene, &changes.assignments()).map_err(|error| error.to_string())?;
    // The solver that promises no intersection is held to it.
    loaded.scene.solver.audit |= loaded.scene.solver.kind == SolverKind::Ipc;
    let mut session = Session::new(loaded).map_err(|error| error.to_string())?;
    simulate(&mut session, None, quiet).map_err(|error| error.to_string())
}

fn print(summary: &Summary) {
    let verdict = if summary.ok { "PASS" } else { "FAIL" };
    say!(
        "{verdict}  {} ({:.2} s for {} s, {:.2} x real time)",
        summary.scene,
        summary.wall_time,
        short(summary.sim_time),
        summary.real_time_factor
    );
    if let Some(failure) = &summary.failure {
        say!("  FAIL  {}", failure.message);
    }
    show::expectations(&summary.expect);
    say!();
}

fn entry(scene: &str, summary: &Summary) -> Value {
    json!({
        "scene": scene, "ok": summary.ok, "expect": summary.expect, "failure": summary.failure,
        "wall_time": summary.wall_time, "real_time_factor": summary.real_time_factor,
        "residual": summary.residual, "max_penetration_m": summary.max_penetration_m,
        "intersecting_pairs": summary.intersecting_pairs, "state_hash": summary.state_hash,
    })
}

fn verdict(worst: Status, count: usize) -> String {
    match worst {
        Status::Done => format!("PASS  all {count} runs"),
        Status::Unexpected => "FAIL  an expectation failed".into(),
        Status::Failed => "FAIL  a simulation failed".into(),
        Status::BadInput => "FAIL  a scene could not be run".into(),
        Status::Interrupted => "stopped by hand".into(),
    }
}

/// A message with the scene that it is about, which most messages begin with.
fn complaint(scene: &str, message: &str) -> String {
    let file = scene.rsplit_once('@').map_or(scene, |(file, _)| file);
    let named = [scene, file].iter().any(|name| message.starts_with(&format!("{name}:")));
    if named { message.to_string() } else { format!("{scene}: {message}") }
}

/// Bad input outweighs a failed run, which outweighs a failed expectation.
fn worse(a: Status, b: Status) -> Status {
    let rank = |status: Status| match status {
        Status::Done => 0,
        Status::Unexpected => 1,
        Status::Failed => 2,
        Status::BadInput => 3,
        Status::Interrupted => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| i.to_string()).collect()
    }

    #[test]
    fn results_come_in_the_order_of_the_list_whoever_is_first() {
        let mut told = Vec::new();
        let slow_first = |name: &str| {
            thread::sleep(Duration::from_millis(if name == "0" { 30 } else { 1 }));
            format!("ran {name}")
        };
        each_in_order(&names(5), 3, slow_first, |name, result| {
            told.push((name.to_string(), result))
        });
        let expected: Vec<_> =
            names(5).into_iter().map(|n| (n.clone(), format!("ran {n}"))).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_complaint_names_its_scene_once() {
        assert_eq!(complaint("nothing", "nothing: no such file"), "nothing: no such file");
        assert_eq!(complaint("a.toml", "a.toml:3: wrong"), "a.toml:3: wrong");
        assert_eq!(complaint("lift@x", "lift: no variants"), "lift: no variants");
        assert_eq!(complaint("lift", "--set solver.kind: wrong"), "lift: --set solver.kind: wrong");
    }

    /// Whoever waits for a result that will never come would wait for ever.
    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_run_that_panics_is_not_waited_for() {
        each_in_order(&names(4), 2, |name| assert_ne!(name, "1", "a mistake"), |_, ()| {});
    }
}
