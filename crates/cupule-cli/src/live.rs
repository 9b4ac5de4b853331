//! `cupule live`: a scene that runs, in the browser.

use cupule_live::{Options, Server};
use cupule_session::scene::load;

use crate::Status;
use crate::arguments::LiveOptions;
use crate::view::open;

/// Serves the live page until ctrl-c.
pub fn live(options: &LiveOptions) -> Status {
    let fail = |message: String| {
        tell!("error: {message}");
        Status::BadInput
    };
    let loaded = match load(&options.scene, &options.changes.assignments()) {
        Ok(loaded) => loaded,
        Err(error) => return fail(error.to_string()),
    };
    for warning in &loaded.warnings {
        tell!("warning: {}", warning.describe(&loaded.file));
    }
    let wishes = Options { port: options.port, paused: options.paused };
    let (server, pages) = match Server::start(loaded, &wishes) {
        Ok(started) => started,
        Err(error) => return fail(error.to_string()),
    };
    let address = format!("http://{}/", server.address());
    say!("{address}\n{} runs there; ctrl-c ends it", options.scene);
    if !options.print && !open(address.as_ref()) {
        tell!("no program was found to open it: open the address above in a browser");
    }
    server.serve(pages);
    Status::Done
}
