//! The same bits for any number of threads.

use crate::run::run;

#[test]
fn suction_is_the_same_for_any_number_of_threads() {
    let hash = |threads: &str| {
        let name = format!("threads-{threads}");
        let run = run("lift", &name, &["--threads", threads, "--duration", "1.3"]);
        run.summary["state_hash"].as_str().expect("a hash").to_string()
    };
    assert_eq!(hash("1"), hash("2"));
}
