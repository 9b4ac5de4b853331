//! A page for a table of times: the rows with bars, and charts below. One file, no network.

use std::fmt::Write;

use serde_json::Value;

use crate::chart::escape;
use crate::table::{phases, steps};

const STYLE: &str = "body{font:15px/1.5 sans-serif;margin:2em auto;max-width:80em;padding:0 1em;color:#222}\
table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;text-align:right;border-bottom:1px solid #ddd}\
td:first-child,th:first-child,.bars{text-align:left;white-space:nowrap}.bar{display:inline-block;height:.7em;margin-right:.4em}\
.paper{background:#b9b9b9}.ours{background:#2a7f62}";

/// The page: title, a table of rows with `case`, `paper_ms`, `ours_ms`, `ratio`, `rows`, `nodes`, `collision_nodes` and the paper's,
/// `phases_ms`, `paper_phases_ms`, `slowest_ms`, `to_tolerance_ms`, `whole_run_ms`, `residual`, `steps`, and the chart.
pub fn page(title: &str, rows: &[Value], chart: &str) -> String {
    let title = escape(title);
    let mut out = format!(
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title><style>{STYLE}</style>\n<h1>{title}</h1>\n\
         <p>Mean time of a step in the quickest run of a row, ms, and in its slowest; bars on a logarithmic scale. Grey: the paper; green: Cupule on this machine. Steps: counted before + \
         from the first seal, and how many of all have a cavity; of 10 ms, as the papers', if nothing is said. To tolerance: without the limit of 50 sweeps a solve. Whole run: mean of \
         all steps of the scene. Phases: free motion, collision, cavities, compliance, solve (the paper's); the first three overlap here. \
         Residual: what solves of at most 50 sweeps each leave, m and share of the largest force.</p>\n\
         <table><tr><th>case<th>nodes (paper)<th>collision nodes (paper)<th>rows (paper)<th>steps<th>ms<th>slowest run, ms<th>times faster<th>to tolerance, ms<th>whole run, ms\
         <th>phases, ms<th>residual</tr>\n"
    );
    for row in rows {
        let figure =
            |pointer: &str| row.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let both = |key: &str| {
            let paper = row[format!("paper_{key}")].as_f64();
            let paper = paper.map_or("-".to_string(), |count| format!("{count:.0}"));
            format!("{:.0} ({paper})", figure(&format!("/{key}")))
        };
        let _ = writeln!(
            out,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td class='bars'>{}<br>{}<td>{:.1}<td>{:.1}<td>{:.1}<td>{:.2}<td>{}<td>{:.1e}, {:.1e}</tr>",
            escape(row["case"].as_str().unwrap_or_default()),
            both("nodes"),
            both("collision_nodes"),
            both("rows"),
            steps(row),
            bar("paper", figure("/paper_ms")),
            bar("ours", figure("/ours_ms")),
            figure("/slowest_ms"),
            figure("/ratio"),
            figure("/to_tolerance_ms"),
            figure("/whole_run_ms"),
            phases(row),
            figure("/residual/gap_m"),
            figure("/residual/force_share"),
        );
    }
    let _ = writeln!(out, "</table>\n{chart}</html>");
    out
}

/// A page of a table of figures and its chart.
pub fn of_figures(title: &str, columns: &[&str], rows: &[Vec<String>], chart: &str) -> String {
    let cells = |tag: &str, row: &[String]| -> String {
        row.iter().map(|cell| format!("<{tag}>{}", escape(cell))).collect()
    };
    let title = escape(title);
    let mut out = format!(
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title><style>{STYLE}</style>\n<h1>{title}</h1>\n<table>"
    );
    let head: Vec<String> = columns.iter().map(ToString::to_string).collect();
    let _ = writeln!(out, "<tr>{}</tr>", cells("th", &head));
    for row in rows {
        let _ = writeln!(out, "<tr>{}</tr>", cells("td", row));
    }
    let _ = writeln!(out, "</table>\n{chart}</html>");
    out
}

/// A bar of a time, 0.1 ms to 10 s.
fn bar(class: &str, ms: f64) -> String {
    let length = ((ms.max(0.1).log10() + 1.0) * 4.0).min(20.0);
    format!("<span class='bar {class}' style='width:{length:.1}em'></span>{ms:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bars_are_as_long_as_the_logarithm_says_and_names_are_escaped() {
        let steps =
            json!({ "before_seal": 20, "from_seal": 130, "with_cavity": 120, "length_s": 0.001 });
        let row = json!({ "case": "a < b", "paper_ms": 100.0, "ours_ms": 10.0, "ratio": 10.0, "rows": 3, "paper_rows": 4.0, "steps": steps });
        let text = page("t", &[row], "");
        assert!(
            text.contains("a &lt; b")
                && text.contains("width:12.0em")
                && text.contains("width:8.0em")
        );
        assert!(text.contains("<td>3 (4)<"), "rows of both: {text}");
        assert!(
            text.contains("20+130, 120 of 1 ms"),
            "how many steps were counted is shown: {text}"
        );
    }
}
