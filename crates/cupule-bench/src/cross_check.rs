//! Both solvers on the same suction scenes: the same events in the same order, the same vacuum and the same largest pull,
//! and how the differences depend on the contact distance and on the time step.
//!
//! Extremes are values of single steps, and the pull goes up and down by half a per cent whenever the border of the seal is drawn anew, not at
//! the same steps under both solvers. So the curves are compared too: their mean distance while both have the cavity.

use std::path::Path;

use cupule::World;
use cupule::event::EventKind;
use cupule::report::StepReport;
use cupule_scene::{assemble, read};
use serde_json::{Value, json};

/// Scenes that both solvers run.
const SCENES: [&str; 8] = [
    "ground",
    "lift",
    "soft-cube",
    "cube-halves",
    "tunnel-one",
    "tunnel-over",
    "tunnel-two",
    "active-pull",
];
/// The scenes in which the differences are followed.
const FOLLOWED: [&str; 2] = ["ground", "lift"];
/// Contact distances, m.
const DISTANCES: [f64; 4] = [8e-5, 4e-5, 2e-5, 1e-5];
/// Time steps, s.
const STEPS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Story {
    /// Kind of event, who, and when (s).
    events: Vec<(EventKind, Who, f64)>,
    /// Lowest pressure of the first cavity, Pa, which is the one that holds; of the atmosphere where there is none.
    pressure: f64,
    atmosphere: f64,
    /// Largest pull upwards of all attachments together, N.
    pull: f64,
    /// Pressure of the first cavity (Pa), where it is there, and pull (N), step by step.
    curves: Vec<(Option<f64>, f64)>,
}

/// To whom something happens.
#[derive(Debug, Clone, PartialEq)]
struct Who {
    bodies: Vec<usize>,
    cavities: [Option<u32>; 2],
}

/// How two stories differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    /// Whether the same happens to the same in the same order.
    pub(super) same: bool,
    /// Largest shift of an event, s.
    pub(super) shift: f64,
    /// Of the lowest pressure, over the deepest vacuum.
    pub(super) pressure: f64,
    /// Of the largest pull, over it.
    pub(super) pull: f64,
    /// Mean distance of the curves of pressure and of pull, over the same.
    pub(super) curves: [f64; 2],
}

/// Runs all scenes under both solvers and prints both tables.
pub fn cross_check(as_json: bool) -> Result<(), String> {
    let (scenes, limits) = tables(as_json)?;
    if as_json {
        say!("{:#}", json!({ "name": "cross-check", "scenes": scenes, "limits": limits }));
    } else {
        print(&scenes, &limits);
    }
    let other = scenes.iter().find(|row| row["same_events"] != true);
    other.map_or(Ok(()), |row| Err(format!("{}: the solvers tell other events", row["scene"])))
}

fn tables(quiet: bool) -> Result<(Vec<Value>, Vec<Value>), String> {
    let announce = |what: &str| {
        if !quiet {
            tell!("running: {what}");
        }
    };
    let mut scenes = Vec::new();
    for scene in SCENES {
        announce(scene);
        scenes.push(row(scene, &[])?);
    }
    let mut limits = Vec::new();
    for scene in FOLLOWED {
        let distances = DISTANCES.map(|d| ("contact.contact_distance", d));
        let steps = STEPS.map(|h| ("solver.time_step", h));
        for (key, value) in distances.into_iter().chain(steps) {
            announce(&format!("{scene}, {key} = {value:e}"));
            let mut row = row(scene, &[format!("{key}={value:e}")])?;
            row["key"] = json!(key);
            row["value"] = json!(value);
            limits.push(row);
        }
    }
    Ok((scenes, limits))
}

fn row(scene: &str, set: &[String]) -> Result<Value, String> {
    let [ncp, ipc] = ["ncp", "ipc"].map(|solver| story(scene, solver, set));
    let (ncp, ipc) = (ncp?, ipc?);
    let Difference { same, shift, pressure, pull, curves } = ncp.against(&ipc);
    Ok(json!({
        "scene": scene, "same_events": same, "events": ncp.events.len(), "shift_s": shift,
        "pressure_pa": [ncp.pressure, ipc.pressure], "pressure_share": pressure,
        "pull_n": [ncp.pull, ipc.pull], "pull_share": pull,
        "pressure_curve_share": curves[0], "pull_curve_share": curves[1],
    }))
}

fn story(scene: &str, solver: &str, set: &[String]) -> Result<Story, String> {
    let text = cupule_scene::shipped_text(scene).ok_or_else(|| format!("no scene {scene}"))?;
    let mut all = vec![format!("solver.kind=\"{solver}\"")];
    all.extend_from_slice(set);
    let loaded = read(text, scene, scene, Path::new("."), &all).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let mut story = Story::of(&world);
    while world.time() < loaded.scene.duration - 0.5 * loaded.scene.solver.time_step {
        let report = world.step(&mut ()).map_err(|error| format!("{scene}, {solver}: {error}"))?;
        story.add(&report);
    }
    Ok(story)
}

impl Story {
    /// Nothing has happened yet.
    pub(super) fn of(world: &World) -> Self {
        let atmosphere = world.settings().air.as_ref().map_or(0.0, |air| air.atmosphere);
        let (pressure, curves) = (atmosphere, Vec::new());
        Self { events: Vec::new(), pressure, atmosphere, pull: 0.0, curves }
    }

    /// Takes in a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        for event in &report.events {
            // How much and where may differ.
            let who =
                Who { bodies: event.bodies.clone(), cavities: [event.cavity, event.other_cavity] };
            self.events.push((event.kind, who, event.time));
        }
        let pull = report.attachments.iter().map(|wrench| wrench.force.z).sum();
        self.pull = self.pull.max(pull);
        let first = report.cavities.iter().find(|cavity| cavity.id == 0);
        self.pressure = first.map_or(self.pressure, |cavity| self.pressure.min(cavity.pressure));
        self.curves.push((first.map(|cavity| cavity.pressure), pull));
    }

    /// How another one differs from this one.
    pub(super) fn against(&self, other: &Self) -> Difference {
        let names = |story: &Self| -> Vec<(EventKind, Who)> {
            story.events.iter().map(|(kind, who, _)| (*kind, who.clone())).collect()
        };
        let share = |a: f64, b: f64, of: f64| if a == b { 0.0 } else { (a - b).abs() / of.abs() };
        let shifts = self.events.iter().zip(&other.events).map(|(a, b)| (a.2 - b.2).abs());
        let vacuum = self.atmosphere - self.pressure;
        // Pressures and pulls of both while both have the cavity.
        let together: Vec<[f64; 2]> = self
            .curves
            .iter()
            .zip(&other.curves)
            .filter_map(|((p, f), (q, g))| Some([(p.as_ref()? - q.as_ref()?).abs(), (f - g).abs()]))
            .collect();
        let mean = |k: usize, of: f64| match together.len() {
            0 => 0.0,
            n => together.iter().map(|apart| apart[k]).sum::<f64>() / n as f64 / of,
        };
        Difference {
            same: names(self) == names(other),
            shift: shifts.fold(0.0, f64::max),
            pressure: share(self.pressure, other.pressure, vacuum),
            pull: share(self.pull, other.pull, self.pull),
            curves: [mean(0, vacuum), mean(1, self.pull)],
        }
    }
}

fn print(scenes: &[Value], limits: &[Value]) {
    let line = |what: &str, row: &Value| {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let both = |key: &str, k: usize| row[key][k].as_f64().unwrap_or(f64::NAN);
        let events = if row["same_events"] == true { "same" } else { "DIFFERENT" };
        say!(
            "{:34} {:>3} {:>9} {:>8.0} ms {:>9.0} {:>9.0} {:>7.2} % {:>8.3} {:>8.3} {:>7.2} % {:>9.3} {:>7.3} %",
            what,
            number("events"),
            events,
            1e3 * number("shift_s"),
            both("pressure_pa", 0),
            both("pressure_pa", 1),
            1e2 * number("pressure_share"),
            both("pull_n", 0),
            both("pull_n", 1),
            1e2 * number("pull_share"),
            1e2 * number("pressure_curve_share"),
            1e2 * number("pull_curve_share")
        );
    };
    say!(
        "{:34} {:>13} {:>11} {:>29} {:>27} {:>19}",
        "scene",
        "events",
        "shifted by",
        "lowest pressure (Pa) ncp, ipc",
        "largest pull (N) ncp, ipc",
        "curves: P, F"
    );
    scenes.iter().for_each(|row| line(row["scene"].as_str().unwrap_or_default(), row));
    for row in limits {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let value = row["value"].as_f64().unwrap_or(f64::NAN);
        let key = text("key").rsplit('.').next().unwrap_or_default();
        line(&format!("{} {key} = {value:.0e}", text("scene")), row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of bodies by their numbers.
    fn told(events: &[(EventKind, usize, f64)], pressure: f64, pull: f64) -> Story {
        let who = |body: usize| Who { bodies: vec![body], cavities: [None; 2] };
        let events = events.iter().map(|(kind, body, at)| (*kind, who(*body), *at)).collect();
        let curves = vec![(None, 1.0), (Some(pressure), pull), (Some(1e5), 0.0)];
        Story { events, pressure, atmosphere: 1e5, pull, curves }
    }

    #[test]
    fn stories_are_compared_by_order_and_by_shares() {
        let one = told(&[(EventKind::Seal, 0, 0.1), (EventKind::Lift, 1, 0.5)], 2e4, 10.0);
        let other = told(&[(EventKind::Seal, 0, 0.1), (EventKind::Lift, 1, 0.7)], 6e4, 9.0);
        let difference = one.against(&other);
        assert!(difference.same && (difference.shift - 0.2).abs() < 1e-12);
        assert!((difference.pressure - 0.5).abs() < 1e-12);
        assert!((difference.pull - 0.1).abs() < 1e-12);
        // Two steps with a cavity; they differ in one of them, by 4e4 Pa of 8e4 and by 1 N of 10.
        let [pressure, pull] = difference.curves;
        assert!((pressure - 0.25).abs() < 1e-12 && (pull - 0.05).abs() < 1e-12);
        let swapped = told(&[(EventKind::Lift, 1, 0.1), (EventKind::Seal, 0, 0.5)], 2e4, 10.0);
        assert!(!one.against(&swapped).same);
        let longer = told(&[(EventKind::Seal, 0, 0.1)], 2e4, 10.0);
        assert!(!one.against(&longer).same);
        assert_eq!(one.against(&one).pressure, 0.0);
    }

    /// The same story under both solvers, pressure within 0.5 % and pull within 2 % (what comes out is 0.1 and 0.6 %). The others take longer: `cupule bench cross-check`.
    #[test]
    fn both_solvers_tell_the_same_story() {
        for scene in ["ground", "lift"] {
            let [ncp, ipc] = ["ncp", "ipc"].map(|s| story(scene, s, &[]).expect("a run"));
            let difference = ncp.against(&ipc);
            println!("{scene}: {difference:?}");
            assert!(difference.same, "{scene}: {:?}\n{:?}", ncp.events, ipc.events);
            assert!(
                difference.pressure < 5e-3 && difference.pull < 0.02,
                "{scene}: {difference:?}"
            );
            assert!(ncp.events.len() > 2, "{scene}: {:?}", ncp.events);
        }
    }
}
