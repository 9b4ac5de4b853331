//! The thread of one page: hands its commands on, and sends it the latest state whenever it is ready for one.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use cupule_record::frames::{FrameBody, FrameWriter, Layer};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use crate::http::Request;
use crate::message::{Command, Update};
use crate::shared::{Cursor, Shared};
use crate::simulation::Answer;

/// No command of a page is longer.
const LARGEST_COMMAND: usize = 16 << 10;
/// How long a page is listened to before it is looked whether there is a new state.
const LISTEN: Duration = Duration::from_millis(4);
/// A page that takes nothing for so long is gone.
const GONE: Duration = Duration::from_secs(20);

/// What all pages are told at first.
#[derive(Debug)]
pub struct Greeting {
    /// The `Hello`, JSON.
    pub hello: String,
    /// Bodies of the frames.
    pub bodies: Vec<FrameBody>,
    /// Layers of the frames.
    pub layers: Vec<Layer>,
}

/// Accepts the web socket that a request asks for.
pub fn accept(mut stream: TcpStream, request: &Request) -> io::Result<WebSocket<TcpStream>> {
    let key = request.header("sec-websocket-key");
    let key = key.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no key"))?;
    let accepted = derive_accept_key(key.as_bytes());
    write!(
        stream,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accepted}\r\n\r\n"
    )?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LISTEN))?;
    stream.set_write_timeout(Some(GONE))?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_COMMAND))
        .max_frame_size(Some(LARGEST_COMMAND));
    Ok(WebSocket::from_raw_socket(stream, Role::Server, Some(config)))
}

/// A page and what it has been told.
pub struct Client {
    socket: WebSocket<TcpStream>,
    shared: Arc<Shared>,
    commands: Sender<(Command, Answer)>,
    frames: FrameWriter<Vec<u8>>,
    cursor: Cursor,
    /// Number of the last snapshot that was sent.
    sent: u64,
    ready: bool,
    refusals: (Sender<String>, Receiver<String>),
}

impl Client {
    /// Greets a page.
    pub fn greet(
        mut socket: WebSocket<TcpStream>,
        greeting: &Greeting,
        shared: Arc<Shared>,
        commands: Sender<(Command, Answer)>,
    ) -> Result<Self, Error> {
        socket.send(Message::text(greeting.hello.clone()))?;
        let mut frames = FrameWriter::new(Vec::new(), &greeting.bodies, &greeting.layers)?;
        let header = std::mem::take(frames.output());
        socket.send(Message::binary(header))?;
        Ok(Self {
            socket,
            shared,
            commands,
            frames,
            cursor: Cursor::default(),
            sent: 0,
            ready: false,
            refusals: channel(),
        })
    }

    /// Serves the page until it goes.
    pub fn serve(mut self) -> Result<(), Error> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => self.hear(&text)?,
                Ok(Message::Binary(_)) => self.refuse("commands are texts".into())?,
                Ok(Message::Close(_)) => {}
                Ok(_) => {}
                Err(Error::Io(error)) if is_timeout(&error) => {}
                // Too long a message; nothing of it was kept, but where the next begins is not known.
                Err(error) => return Err(error),
            }
            while let Ok(why) = self.refusals.1.try_recv() {
                self.refuse(why)?;
            }
            self.send_latest()?;
        }
    }

    fn hear(&mut self, text: &str) -> Result<(), Error> {
        match serde_json::from_str(text) {
            Ok(Command::Ready) => self.ready = true,
            Ok(command) => {
                let refusals = self.refusals.0.clone();
                let answer: Answer = Box::new(move |why| {
                    let _ = refusals.send(why);
                });
                // Without a simulation there is nothing to steer, and the page is told so by silence.
                let _ = self.commands.send((command, answer));
            }
            Err(error) => self.refuse(format!("not a command: {error}"))?,
        }
        Ok(())
    }

    fn refuse(&mut self, why: String) -> Result<(), Error> {
        let text = serde_json::json!({ "refused": why }).to_string();
        self.socket.send(Message::text(text))
    }

    fn send_latest(&mut self) -> Result<(), Error> {
        if !self.ready {
            return Ok(());
        }
        let snapshot = self.shared.snapshot();
        if snapshot.number == self.sent {
            self.shared.ask();
            return Ok(());
        }
        let news = self.shared.history().news(&mut self.cursor);
        let update = Update {
            columns: news.columns,
            rows: news.rows,
            events: news.events,
            ..snapshot.update.clone()
        };
        let text = serde_json::to_string(&update).map_err(io::Error::other)?;
        self.frames.write(snapshot.time, &snapshot.positions, &snapshot.layers)?;
        let frame = std::mem::take(self.frames.output());
        let mut bytes = Vec::with_capacity(4 + text.len() + 4 * news.figures.len() + frame.len());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(news.figures.iter().flat_map(|figure| figure.to_le_bytes()));
        bytes.extend(frame);
        (self.sent, self.ready) = (snapshot.number, false);
        self.socket.send(Message::binary(bytes))
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
