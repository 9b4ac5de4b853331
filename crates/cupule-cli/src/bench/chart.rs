//! Line charts as SVG: a few panels over one time axis, for tables that are better seen.

use std::fmt::Write;

use cupule_record::palette;

const WIDTH: f64 = 760.0;
const PANEL: f64 = 190.0;
const MARGIN: [f64; 2] = [70.0, 26.0];

/// A curve: (time s, value) with its name.
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
    /// What is drawn, with its unit.
    pub title: String,
    /// The curves; the same names in all panels have the same colours.
    pub curves: Vec<Curve>,
}

/// The panels above each other as one SVG.
pub fn svg(title: &str, panels: &[Panel]) -> String {
    let height = MARGIN[1] * 2.0 + panels.len() as f64 * (PANEL + MARGIN[1]) + 20.0;
    let mut out = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' font-family='sans-serif' font-size='12'>\n\
         <rect width='100%' height='100%' fill='white'/>\n<text x='{}' y='18' font-size='15'>{}</text>\n",
        MARGIN[0],
        escape(title)
    );
    for (i, panel) in panels.iter().enumerate() {
        let top = MARGIN[1] * 1.6 + i as f64 * (PANEL + MARGIN[1]);
        draw(&mut out, panel, top);
    }
    if let Some(panel) = panels.first() {
        legend(&mut out, panel, height - 16.0);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, panel: &Panel, top: f64) {
    let all = || panel.curves.iter().flat_map(|c| &c.points).filter(|(_, v)| v.is_finite());
    let (from, to) = range(all().map(|p| p.0));
    let (low, high) = range(all().map(|p| p.1));
    let x = |t: f64| MARGIN[0] + (t - from) / (to - from) * (WIDTH - MARGIN[0] - 20.0);
    let y = |v: f64| top + PANEL - (v - low) / (high - low) * PANEL;
    for step in 0..=4 {
        let (t, v) = (
            from + (to - from) * f64::from(step) / 4.0,
            low + (high - low) * f64::from(step) / 4.0,
        );
        let _ = writeln!(
            out,
            "<line x1='{}' x2='{}' y1='{y:.1}' y2='{y:.1}' stroke='#ddd'/><text x='{}' y='{:.1}' text-anchor='end'>{}</text>\
             <text x='{:.1}' y='{:.1}' text-anchor='middle'>{t:.1}</text>",
            MARGIN[0],
            WIDTH - 20.0,
            MARGIN[0] - 6.0,
            y(v) + 4.0,
            number(v),
            x(t),
            top + PANEL + 14.0,
            y = y(v),
        );
    }
    let _ = writeln!(
        out,
        "<text x='{}' y='{}'>{}</text>",
        MARGIN[0] + 6.0,
        top + 12.0,
        escape(&panel.title)
    );
    for (i, curve) in panel.curves.iter().enumerate() {
        let mut path = String::new();
        let mut pen_up = true;
        for (t, v) in &curve.points {
            if v.is_finite() {
                let _ = write!(path, "{}{:.1} {:.1}", if pen_up { "M" } else { "L" }, x(*t), y(*v));
            }
            pen_up = !v.is_finite();
        }
        let colour = palette::body_colour(i, "fem").hex();
        let _ =
            writeln!(out, "<path d='{path}' fill='none' stroke='{colour}' stroke-width='1.4'/>");
    }
}

fn legend(out: &mut String, panel: &Panel, y: f64) {
    let room = (WIDTH - MARGIN[0]) / panel.curves.len().max(1) as f64;
    for (i, curve) in panel.curves.iter().enumerate() {
        let x = MARGIN[0] + i as f64 * room;
        let _ = writeln!(
            out,
            "<rect x='{x:.0}' y='{:.0}' width='14' height='4' fill='{}'/><text x='{:.0}' y='{y:.0}'>{}</text>",
            y - 7.0,
            palette::body_colour(i, "fem").hex(),
            x + 18.0,
            escape(&curve.name)
        );
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if high > low { (low, high) } else { (low - 0.5, low + 0.5) }
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
        let text = svg("chart", &[Panel { title: "value".into(), curves: vec![curve] }]);
        let path =
            text.split("<path d='").nth(1).expect("a path").split('\'').next().expect("its end");
        assert_eq!(path.matches('M').count(), 2, "the missing value lifts the pen: {path}");
        assert_eq!(path.matches('L').count(), 2);
        assert!(text.contains("&lt;a &amp; b&gt;") && !text.contains("<a &"));
    }
}
