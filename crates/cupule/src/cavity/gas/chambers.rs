//! The chambers of a step: cavities and lines with their laws and flows, and afterwards the mole balance of what flowed.

use super::flows::Flows;
use super::muscle::{MuscleState, MuscleStep};
use crate::cavity::space::AirSpace;
use crate::cavity::track::Constriction;
use crate::settings::AirSettings;
use crate::solver::{Chamber, Outcome, Tube};
use cupule_geometry::DVec3;
use std::sync::Arc;

/// A cavity has ceased to vent when its pressure is below this fraction of the limit, and venting after that is a new event: well below the
/// limit, so that a pressure that wavers about the limit gives one event and not many.
const VENTING_OVER: f64 = 0.98;

/// The chambers of one step, cavities first, then lines, with what flows into each.
#[derive(Debug, Clone, Default)]
pub struct Chambers {
    /// What the solver sees.
    pub list: Vec<Chamber>,
    flows: Vec<Flows>,
    /// Conductance of the gap of every cavity's seal, m3/s.
    viscous: Vec<f64>,
    /// The narrowest place on the widest path through each of those.
    widest: Vec<Option<Constriction>>,
    /// Muscles, in the order of the world.
    muscles: Vec<MuscleStep>,
    /// End of the step, s.
    time: f64,
}

impl AirSpace {
    /// The chambers of a step of `length` (s) that ends at `time` (s), with all points now at `x` (m).
    pub fn chambers(&self, x: &[DVec3], time: f64, length: f64) -> Chambers {
        let air = &self.settings;
        let mut chambers = Chambers { time, ..Chambers::default() };
        chambers.widest = (0..self.cavities().len()).map(|c| self.widest_path(c)).collect();
        let conductances = self.seal_conductances();
        chambers.muscles = self.muscles.iter().map(|m| self.muscle_step(m, time)).collect();
        for (i, (cavity, to_outside)) in
            self.cavities().iter().zip(&conductances.to_outside).enumerate()
        {
            let wall = self.wall(i);
            let (volume, gradient) = wall.measure(x);
            // K (P_atm^2 - P^2) / 2 with the sum of the pressures as it was: linear in what is to be found.
            let viscous = 0.5 * to_outside * (air.atmosphere + cavity.pressure);
            chambers.viscous.push(viscous);
            let mut flows = Flows::of_seal(air, viscous, length);
            for (state, step) in self.muscles.iter().zip(&chambers.muscles) {
                if step.cavity == Some(i) {
                    flows.muscles.0 += state.amount * air.thermal_energy();
                    flows.muscles.1 += step.volume;
                }
            }
            let walls: Arc<dyn crate::solver::Walls> = Arc::new(wall);
            chambers.push(flows, cavity.amount, cavity.pressure, air, cavity.limit, volume);
            if let Some(chamber) = chambers.list.last_mut() {
                (chamber.walls, chamber.gradient) = (Some(walls), gradient);
            }
        }
        for vessel in &self.lines {
            let flows = Flows::of_line(&vessel.line, air, time, length);
            chambers.push(
                flows,
                vessel.amount,
                vessel.pressure,
                air,
                f64::INFINITY,
                vessel.line.volume,
            );
        }
        self.connect(&mut chambers, length);
        for (a, b, conductance) in conductances.between {
            let [here, there] = [a, b].map(|c| self.cavities()[c].pressure);
            let swept = 0.5 * conductance * (here + there) * length;
            chambers.list[a].tubes.push(Tube { to: b, swept });
            chambers.list[b].tubes.push(Tube { to: a, swept });
        }
        chambers
    }

    fn muscle_step(&self, state: &MuscleState, time: f64) -> MuscleStep {
        let cavity = self.cavities().iter().position(|c| state.muscle.at.is_on(&c.found));
        MuscleStep { cavity, volume: state.muscle.volume.at(time).max(0.0) }
    }

    /// Joins every port to the cavity that it opens into, or to the outside.
    fn connect(&self, chambers: &mut Chambers, length: f64) {
        let first_line = self.cavities().len();
        for (i, vessel) in self.lines.iter().enumerate() {
            for port in &vessel.line.ports {
                let (swept, here) = (port.conductance * length, first_line + i);
                match self.cavities().iter().position(|c| port.at.is_on(&c.found)) {
                    Some(cavity) => {
                        chambers.list[here].tubes.push(Tube { to: cavity, swept });
                        chambers.list[cavity].tubes.push(Tube { to: here, swept });
                    }
                    None => {
                        let atmosphere = self.settings.atmosphere;
                        chambers.flows[here].outside.push((swept, atmosphere));
                        chambers.list[here].gas.energy += swept * atmosphere;
                        chambers.list[here].gas.flow_volume += swept;
                    }
                }
            }
        }
    }

    /// Adds what flowed in a step to the mole balance, and keeps its pressures and volumes. Returns the cavities that began to vent.
    pub fn commit(&mut self, chambers: &Chambers, outcome: &Outcome) -> Vec<u32> {
        self.is_up_to_date = false;
        let mut began = Vec::new();
        let thermal = self.settings.thermal_energy();
        let count = self.tracker.cavities.len();
        let (pressures, volumes) = (&outcome.pressures, &outcome.volumes);
        for i in 0..chambers.list.len() {
            let (pressure, flows) = (pressures[i], &chambers.flows[i]);
            let limit = chambers.list[i].gas.limit;
            let through = |is: &dyn Fn(usize) -> bool| -> f64 {
                let tubes = chambers.list[i].tubes.iter().filter(|t| is(t.to));
                tubes.map(|t| t.swept * (pressures[t.to] - pressure)).sum()
            };
            // What creeps over from a neighbour comes through the gap of the seal between them.
            let crept = through(&|to| to < count);
            let leaks = flows.leaked(pressure, &self.settings);
            let leaked: f64 = leaks.iter().sum();
            let driven = flows.driven_in(pressure, &self.settings) + through(&|_| true);
            let inflow = (leaked + driven) / thermal;
            let Some(cavity) = self.tracker.cavities.get_mut(i) else {
                let vessel = &mut self.lines[i - count];
                vessel.pressure = pressure;
                vessel.amount = (vessel.amount + inflow).max(0.0);
                continue;
            };
            (cavity.pressure, cavity.volume) = (pressure, volumes[i]);
            cavity.seal_conductance = chambers.viscous[i];
            cavity.widest = chambers.widest[i];
            if pressure < VENTING_OVER * limit {
                cavity.vents = false;
            }
            let held = cavity.amount + inflow;
            // Where the law vents, the seal lets out what is above its limit.
            let most =
                if pressure >= limit { self.settings.amount_in(limit, volumes[i]) } else { held };
            let kept = held.min(most).max(0.0);
            let moles = &mut self.tracker.moles;
            moles.leaked_in += leaked / thermal;
            moles.pumped -= driven / thermal;
            moles.vented += held - kept;
            moles.in_cavities += kept - cavity.amount;
            cavity.amount = kept;
            let [rate, conductance, gap, _] = leaks.map(|energy| energy / thermal);
            let crept = crept / thermal;
            let entered = [rate, conductance, gap + crept, driven / thermal - crept];
            let end = [pressure, kept, chambers.time];
            cavity.loss.note(end, entered, self.settings.atmosphere);
            if held > kept && !cavity.vents {
                cavity.vents = true;
                began.push(cavity.id);
            }
        }
        for (state, step) in self.muscles.iter_mut().zip(&chambers.muscles) {
            let pressure = step.cavity.map_or(self.settings.atmosphere, |c| pressures[c]);
            state.amount = self.settings.amount_in(pressure, step.volume);
        }
        began
    }
}

impl AirSettings {
    /// Amount (mol) that a volume (m3) holds at a pressure (Pa).
    pub(in crate::cavity) fn amount_in(&self, pressure: f64, volume: f64) -> f64 {
        // P = P_atm (n R T / (P_atm V))^k
        let relative = (pressure / self.atmosphere).powf(1.0 / self.exponent);
        self.atmosphere * relative * volume / self.thermal_energy()
    }
}

impl Chambers {
    fn push(
        &mut self,
        flows: Flows,
        amount: f64,
        pressure: f64,
        air: &AirSettings,
        limit: f64,
        volume: f64,
    ) {
        self.list.push(Chamber {
            walls: None,
            volume,
            gradient: Vec::new(),
            gas: flows.gas(amount * air.thermal_energy(), air, limit),
            tubes: Vec::new(),
            warm_start: pressure,
        });
        self.flows.push(flows);
    }
}
