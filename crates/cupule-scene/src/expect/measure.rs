//! The figure of an expectation, or why there is none.

use std::ops::Range;

use super::reduce::reduce;
use super::{Figures, short};
use crate::formula::Formula;
use crate::model::{Expect, Reduce};

/// Times are sums of steps: a millionth of a second keeps rounding from dropping the edge of a span.
const SLACK: f64 = 1e-6;

/// Evaluates a formula at the steps that count and reduces what comes out to one number.
pub(super) fn measure(
    formula: &Formula,
    expect: &Expect,
    figures: &Figures<'_>,
) -> Result<f64, String> {
    let rows = rows(expect, figures.times)?;
    let names = formula.names();
    let columns: Vec<(&str, Option<&[f64]>)> =
        names.iter().map(|name| (*name, (figures.column)(name))).collect();
    let look_up = |name: &str, row: usize| match columns.iter().find(|(known, _)| *known == name) {
        Some((_, Some(column))) => column.get(row).copied(),
        _ => figures.scalar(name),
    };
    let at_row = |row: usize| formula.evaluate(&|name| look_up(name, row));
    let samples: Vec<(f64, f64)> =
        rows.clone().map(|row| (figures.times[row], at_row(row))).collect();
    if let Some((time, _)) = samples.iter().find(|(_, value)| value.is_nan()) {
        let absent = names.iter().find_map(|name| absence(name, rows.clone(), figures, &look_up));
        return Err(absent.unwrap_or(format!("the formula gives no number at {} s", short(*time))));
    }
    let value = reduce(expect.reduce.unwrap_or(Reduce::Mean), &samples)?;
    if value.is_finite() { Ok(value) } else { Err("the figure is not finite".to_string()) }
}

/// The steps that count: those of the span, the first one not before the time, or the last; or why there are none.
fn rows(expect: &Expect, times: &[f64]) -> Result<Range<usize>, String> {
    let (Some(&run_end), count) = (times.last(), times.len()) else {
        return Err("the run has no step".to_string());
    };
    let too_early =
        |time: f64| Err(format!("the run ends at {} s, before {} s", short(run_end), short(time)));
    match (expect.over, expect.at) {
        (Some([start, end]), _) => {
            // Half a step is what a duration is rounded by.
            if end > run_end + 0.5 * run_end / count as f64 + SLACK {
                return too_early(if start > run_end { start } else { end });
            }
            let [first, behind] = [start - SLACK, end + SLACK];
            let span =
                times.partition_point(|t| *t < first)..times.partition_point(|t| *t <= behind);
            if span.is_empty() {
                return Err(format!("no step ends between {} and {} s", short(start), short(end)));
            }
            Ok(span)
        }
        (None, Some(at)) => match times.partition_point(|t| *t < at - SLACK) {
            row if row == count => too_early(at),
            row => Ok(row..row + 1),
        },
        (None, None) => Ok(count - 1..count),
    }
}

/// When a figure is not there, if it is not: cavities come and go.
fn absence(
    name: &str,
    rows: Range<usize>,
    figures: &Figures<'_>,
    look_up: &dyn Fn(&str, usize) -> Option<f64>,
) -> Option<String> {
    let time = |row: usize| short(figures.times[row]);
    let missing: Vec<usize> =
        rows.clone().filter(|row| look_up(name, *row).is_none_or(f64::is_nan)).collect();
    let (first, last) = (*missing.first()?, rows.end - 1);
    let span = || format!("between {} and {} s", time(rows.start), time(last));
    let when = if name.starts_with("summary.") || name.starts_with("scene.") {
        // The same at all times.
        String::new()
    } else if rows.len() == 1 {
        format!(" at {} s", time(first))
    } else if missing.len() == rows.len() {
        format!(" {}", span())
    } else {
        let (lacking, all) = (missing.len(), rows.len());
        format!(" in {lacking} of {all} steps {}, first at {} s", span(), time(first))
    };
    Some(format!("{name} is not there{when}"))
}
