//! Line charts as SVG: a few panels over one horizontal axis, for tables that are better seen.

use std::fmt::Write;

use cupule_record::palette;

use crate::axis::{Axis, Scale};

/// Points of a line nearer than this to the last one are left out, pixels.
const FINEST: f64 = 2.0;
const WIDTH: f64 = 760.0;
/// Height of one panel of several, and of one that has the chart for itself.
const PANEL: [f64; 2] = [190.0, 300.0];
const LEFT: f64 = 76.0;
const RIGHT: f64 = 20.0;
/// Above each panel, and below the last one for its axis and the legend.
const ABOVE: f64 = 34.0;
const BELOW: f64 = 66.0;
/// From one row of the legend to the next.
const LEGEND_ROW: f64 = 18.0;
/// Between the ends of the horizontal axis and the first and last values.
const INSET: f64 = 14.0;
/// A curve of so few points shows where they are.
const FEW_POINTS: usize = 20;

/// A curve with its name.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points; gaps where a value is not finite.
    pub points: Vec<(f64, f64)>,
}

/// A panel of curves.
#[derive(Debug, Clone)]
pub struct Panel {
    /// What is drawn, with its unit: the label of the vertical axis.
    pub title: String,
    /// The curves; the same names in all panels have the same colours.
    pub curves: Vec<Curve>,
    /// Whether points are joined: there is something between them.
    pub joined: bool,
    /// How values are spread over both axes.
    pub scale: Scale,
}

/// The panels above each other as one SVG, over a horizontal axis with this label.
pub fn svg(title: &str, across: &str, panels: &[Panel]) -> String {
    let tall = PANEL[usize::from(panels.len() == 1)];
    let more_rows = panels.first().map_or(0, |panel| legend_rows(panel).len() - 1);
    let legend_room = more_rows as f64 * LEGEND_ROW;
    let height = panels.len() as f64 * (tall + ABOVE) + BELOW + legend_room;
    let mut out = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' font-family='sans-serif' font-size='12'>\n\
         <rect width='100%' height='100%' fill='white'/>\n<text x='{LEFT}' y='20' font-size='15'>{}</text>\n",
        escape(title)
    );
    for (i, panel) in panels.iter().enumerate() {
        let top = ABOVE + i as f64 * (tall + ABOVE);
        draw(&mut out, panel, top, tall);
    }
    let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
    let _ = writeln!(
        out,
        "<text x='{middle}' y='{}' text-anchor='middle'>{}</text>",
        height - legend_room - 34.0,
        escape(across)
    );
    if let Some(panel) = panels.first() {
        legend(&mut out, panel, height - 10.0);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, panel: &Panel, top: f64, tall: f64) {
    let all = || panel.curves.iter().flat_map(|c| &c.points).filter(|(_, v)| v.is_finite());
    let across = Axis::around(panel.scale, all().map(|p| p.0), 8);
    let up = Axis::around(panel.scale, all().map(|p| p.1), 5);
    let x = |t: f64| LEFT + INSET + across.place(t) * (WIDTH - LEFT - RIGHT - 2.0 * INSET);
    let y = |v: f64| top + tall - up.place(v) * tall;
    for value in &up.ticks {
        let (y, right) = (y(*value), WIDTH - RIGHT);
        let _ = writeln!(
            out,
            "<line x1='{LEFT}' x2='{right}' y1='{y:.1}' y2='{y:.1}' stroke='#ddd'/><text x='{}' y='{:.1}' text-anchor='end'>{}</text>",
            LEFT - 6.0,
            y + 4.0,
            number(*value),
        );
    }
    for value in &across.ticks {
        let (x, foot) = (x(*value), top + tall);
        let _ = writeln!(
            out,
            "<line x1='{x:.1}' x2='{x:.1}' y1='{foot:.1}' y2='{:.1}' stroke='#888'/><text x='{x:.1}' y='{:.1}' text-anchor='middle'>{}</text>",
            foot + 4.0,
            foot + 16.0,
            number(*value),
        );
    }
    let middle = top + tall / 2.0;
    let _ = writeln!(
        out,
        "<text x='16' y='{middle}' text-anchor='middle' transform='rotate(-90 16 {middle})'>{}</text>",
        escape(&panel.title)
    );
    for (i, curve) in panel.curves.iter().enumerate() {
        if panel.joined {
            line(out, i, curve, x, y);
        }
        let few = curve.points.len() <= FEW_POINTS;
        if few || !panel.joined {
            let shown = curve.points.iter().filter(|(_, v)| v.is_finite());
            let size = if few { 1.0 } else { 0.4 };
            shown.for_each(|(t, v)| mark(out, i, [x(*t), y(*v)], size));
        }
    }
}

fn line(
    out: &mut String,
    index: usize,
    curve: &Curve,
    x: impl Fn(f64) -> f64,
    y: impl Fn(f64) -> f64,
) {
    let mut path = String::new();
    let mut last: Option<[f64; 2]> = None;
    for (i, (t, v)) in curve.points.iter().enumerate() {
        if !v.is_finite() {
            last = None;
            continue;
        }
        let at = [x(*t), y(*v)];
        // Thousands of steps would make a picture of megabytes; the end of a curve is always drawn.
        let ends = curve.points.get(i + 1).is_none_or(|(_, v)| !v.is_finite());
        let near = last.is_some_and(|[a, b]| (at[0] - a).hypot(at[1] - b) < FINEST);
        if near && !ends {
            continue;
        }
        let _ = write!(path, "{}{:.1} {:.1}", if last.is_none() { "M" } else { "L" }, at[0], at[1]);
        last = Some(at);
    }
    let colour = palette::body_colour(index, "fem").hex();
    let _ = writeln!(out, "<path d='{path}' fill='none' stroke='{colour}' stroke-width='1.6'/>");
}

/// The mark of the curve of this index: its own shape too, for those who cannot tell the colours.
fn mark(out: &mut String, index: usize, [x, y]: [f64; 2], size: f64) {
    let shape = [
        "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
        "m-4 -4h8v8h-8z",
        "m0 -5.5l5 9h-10z",
        "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
        "m0 5.5l5 -9h-10z",
    ];
    let _ = writeln!(
        out,
        "<path class='mark' transform='translate({x:.1} {y:.1}) scale({size})' d='M0 0{}' fill='{}'/>",
        shape[index % shape.len()],
        palette::body_colour(index, "fem").hex()
    );
}

/// Rows of the legend: which curves stand in each, and where they begin.
fn legend_rows(panel: &Panel) -> Vec<Vec<(usize, f64)>> {
    // Room as long as the name, and for the mark before it.
    let room = |curve: &Curve| 6.5 * curve.name.chars().count() as f64 + 40.0;
    let (mut rows, mut x) = (vec![Vec::new()], LEFT);
    for (i, curve) in panel.curves.iter().enumerate() {
        if x + room(curve) > WIDTH && x > LEFT {
            rows.push(Vec::new());
            x = LEFT;
        }
        rows.last_mut().into_iter().for_each(|row| row.push((i, x)));
        x += room(curve);
    }
    rows
}

/// The legend, its last row at `y`.
fn legend(out: &mut String, panel: &Panel, y: f64) {
    let rows = legend_rows(panel);
    let count = rows.len();
    for (row, entries) in rows.into_iter().enumerate() {
        let y = y - (count - 1 - row) as f64 * LEGEND_ROW;
        for (i, x) in entries {
            entry(out, panel, i, [x, y]);
        }
    }
}

fn entry(out: &mut String, panel: &Panel, index: usize, [x, y]: [f64; 2]) {
    let (curve, colour) = (&panel.curves[index], palette::body_colour(index, "fem").hex());
    if panel.joined {
        let y = y - 5.0;
        let _ =
            writeln!(out, "<rect x='{x:.1}' y='{y:.1}' width='20' height='2' fill='{colour}'/>");
    }
    let name = escape(&curve.name);
    let _ = writeln!(out, "<text x='{:.1}' y='{y:.1}'>{name}</text>", x + 25.0);
    if curve.points.len() <= FEW_POINTS || !panel.joined {
        mark(out, index, [x + 10.0, y - 4.0], 1.0);
    }
}

/// Three digits, with the prefix that engineers use left to the title.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-2..1e5).contains(&value.abs()) {
        format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{value:.2e}")
    }
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_have_gaps_and_names_are_harmless() {
        let points = vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 4.0), (4.0, 5.0)];
        let curve = Curve { name: "<a & b>".into(), points };
        let mut panel = Panel {
            title: "value".into(),
            curves: vec![curve],
            joined: true,
            scale: Scale::Linear,
        };
        let text = svg("chart", "time, s", std::slice::from_ref(&panel));
        let path =
            text.split("<path d='").nth(1).expect("a path").split('\'').next().expect("its end");
        assert_eq!(path.matches('M').count(), 2, "the missing value lifts the pen: {path}");
        assert_eq!(path.matches('L').count(), 2);
        assert_eq!(
            text.matches("class='mark'").count(),
            5,
            "one for each value that there is, and in the legend"
        );
        assert!(text.contains("&lt;a &amp; b&gt;") && !text.contains("<a &"));
        assert!(text.contains(">time, s<") && text.contains(">value<"), "both axes are labelled");
        panel.curves[0].points = (0..10_000).map(|i| (f64::from(i), f64::from(i % 2))).collect();
        let zigzag = svg("", "", std::slice::from_ref(&panel));
        panel.curves[0].points = (0..10_000).map(|i| (f64::from(i), 1.0)).collect();
        let flat = svg("", "", std::slice::from_ref(&panel));
        assert_eq!(zigzag.matches('L').count(), 9_999, "what differs is drawn");
        assert!(flat.matches('L').count() < 500, "what does not is drawn once in two pixels");
        panel.joined = false;
        assert!(!svg("", "", std::slice::from_ref(&panel)).contains("<path d="), "marks only");
        panel.curves[0].points = (0..100).map(|i| (f64::from(i), 1.0)).collect();
        assert_eq!(svg("", "", &[panel]).matches("class='mark'").count(), 101, "all of many too");
    }

    #[test]
    fn long_legends_have_several_rows() {
        let curve =
            |i: usize| Curve { name: format!("curve number {i}"), points: vec![(0.0, 1.0)] };
        let panel = |count: usize| Panel {
            title: String::new(),
            curves: (0..count).map(curve).collect(),
            joined: true,
            scale: Scale::Linear,
        };
        assert_eq!(legend_rows(&panel(3)).len(), 1);
        let rows = legend_rows(&panel(15));
        assert!(rows.len() > 1 && rows.iter().map(Vec::len).sum::<usize>() == 15);
        assert!(rows.iter().flatten().all(|(_, x)| *x < WIDTH - 6.5 * 14.0), "{rows:?}");
        assert!(legend_rows(&panel(0)).len() == 1, "no curve is no error");
    }
}
