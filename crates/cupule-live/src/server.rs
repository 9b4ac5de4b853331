//! Listens on loopback, hands out the page, and gives every page a thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use cupule_record::palette::{body_colour, scale_hex};
use cupule_record::scenery;
use cupule_session::Session;
use cupule_session::scene::{LoadedScene, SceneError};
use thiserror::Error;

use crate::client::{Client, Greeting, accept};
use crate::http::{Request, answer};
use crate::message::{Command, Hello, HelloBody};
use crate::shared::Shared;
use crate::simulation::{Answer, Simulation};

/// The built page; see `viewer/README.md` for how it is built.
const PAGE: &str = include_str!("../assets/live.html");
/// Tried first if nobody asks for a port, so that a page of yesterday finds its server again.
const USUAL_PORT: u16 = 8765;
/// More pages than this are a mistake rather than a wish.
const MOST_PAGES: usize = 32;
/// Who says nothing for so long after it has called wants nothing.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a live simulation may be told at its start.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Port; none takes a usual one, or any that is free; 0 any that is free.
    pub port: Option<u16>,
    /// Whether time stands still until somebody presses play.
    pub paused: bool,
}

/// Why there is no live simulation.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The port cannot be had.
    #[error("port {port} of 127.0.0.1 cannot be used: {source}; choose another with --port")]
    Port {
        /// Which.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
}

/// A live simulation that listens.
pub struct Server {
    address: SocketAddr,
    listener: TcpListener,
    hall: Arc<Hall>,
}

/// What the threads of the pages share.
struct Hall {
    port: u16,
    greeting: Greeting,
    shared: Arc<Shared>,
    pages: AtomicUsize,
}

impl Server {
    /// Builds the world, starts the simulation, and listens.
    pub fn start(loaded: LoadedScene, options: &Options) -> Result<(Self, Pages), LiveError> {
        let text = loaded.to_toml()?;
        let session = Session::new(loaded)?;
        let listener = listen(options.port)?;
        let address =
            listener.local_addr().map_err(|source| LiveError::Port { port: 0, source })?;
        let shared = Arc::new(Shared::default());
        let simulation = Simulation::new(session, shared.clone(), !options.paused);
        let greeting = greeting(text, &simulation);
        let (sender, receiver) = channel();
        thread::spawn(move || simulation.run(&receiver));
        let hall = Hall { port: address.port(), greeting, shared, pages: AtomicUsize::new(0) };
        Ok((Self { address, listener, hall: Arc::new(hall) }, Pages { commands: sender }))
    }

    /// Where the page is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves pages for ever.
    pub fn serve(self, pages: Pages) {
        for stream in self.listener.incoming().flatten() {
            let (hall, commands) = (self.hall.clone(), pages.commands.clone());
            // A page that breaks off is no trouble of ours.
            thread::spawn(move || hall.receive(stream, commands).ok());
        }
    }
}

/// The way to the simulation; it ends when this and all pages are gone.
pub struct Pages {
    commands: Sender<(Command, Answer)>,
}

fn listen(port: Option<u16>) -> Result<TcpListener, LiveError> {
    let bind = |port: u16| {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|source| LiveError::Port { port, source })
    };
    match port {
        Some(port) => bind(port),
        None => bind(USUAL_PORT).or_else(|_| bind(0)),
    }
}

fn greeting(text: String, simulation: &Simulation) -> Greeting {
    let (loaded, world) = (simulation.session().loaded(), simulation.session().world());
    let (bodies, layers) = (scenery::bodies(world), scenery::layers(world));
    let hello_body = |index: usize| {
        let id = cupule_session::physics::world::BodyId(index);
        let kind = scenery::kind_word(world.body_kind(id));
        let colour = body_colour(index, kind).hex();
        HelloBody { name: world.body_name(id).to_string(), kind: kind.to_string(), colour }
    };
    let hello = Hello {
        scene: loaded.scene.name.clone(),
        title: loaded.scene.title.clone(),
        text,
        version: env!("CARGO_PKG_VERSION").to_string(),
        time_step: world.settings().time_step,
        bodies: (0..world.body_count()).map(hello_body).collect(),
        scale: scale_hex(),
        controls: simulation.controls().describe(),
    };
    // Plain data of ours: texts and finite numbers.
    let hello = serde_json::to_string(&hello).unwrap_or_default();
    Greeting { hello, bodies, layers }
}

impl Hall {
    fn receive(
        &self,
        mut stream: TcpStream,
        commands: Sender<(Command, Answer)>,
    ) -> Result<(), tungstenite::Error> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = Request::read(&mut stream)?;
        let plain = "text/plain; charset=utf-8";
        let refuse = |stream: &mut TcpStream, status: &str, why: &str| {
            Ok(answer(stream, status, plain, why.as_bytes())?)
        };
        if !request.is_for(self.port) {
            return refuse(&mut stream, "421 Misdirected Request", "not my name\n");
        }
        match (request.method.as_str(), request.path.as_str(), request.is_upgrade()) {
            ("GET", "/socket", true) if !request.is_from(self.port) => {
                refuse(&mut stream, "403 Forbidden", "only my own page may steer\n")
            }
            ("GET", "/socket", true) => self.page(stream, &request, commands),
            ("GET", "/", false) => {
                Ok(answer(&mut stream, "200 OK", "text/html; charset=utf-8", PAGE.as_bytes())?)
            }
            // Browsers ask for it unasked.
            ("GET", "/favicon.ico", false) => refuse(&mut stream, "204 No Content", ""),
            _ => refuse(&mut stream, "404 Not Found", "there is only /\n"),
        }
    }

    fn page(
        &self,
        mut stream: TcpStream,
        request: &Request,
        commands: Sender<(Command, Answer)>,
    ) -> Result<(), tungstenite::Error> {
        let _seat = Seat::take(&self.pages);
        if self.pages.load(Ordering::Relaxed) > MOST_PAGES {
            let why = b"too many pages\n";
            return Ok(answer(&mut stream, "503 Service Unavailable", "text/plain", why)?);
        }
        let socket = accept(stream, request)?;
        Client::greet(socket, &self.greeting, self.shared.clone(), commands)?.serve()
    }
}

/// Counts a page as long as it is there.
struct Seat<'a>(&'a AtomicUsize);

impl<'a> Seat<'a> {
    fn take(pages: &'a AtomicUsize) -> Self {
        pages.fetch_add(1, Ordering::Relaxed);
        Self(pages)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
