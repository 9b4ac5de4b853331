//! A live simulation as its pages meet it: over real sockets on loopback.
#![allow(clippy::unwrap_used, reason = "what a test cannot set up fails it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use cupule_live::{Options, Server};
use cupule_record::frames::FrameReader;
use cupule_scene::load;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

fn start(scene: &str, set: &[&str]) -> SocketAddr {
    let set: Vec<String> = set.iter().map(|text| text.to_string()).collect();
    let loaded = load(scene, &set).unwrap();
    let options = Options { port: Some(0), paused: true };
    let (server, pages) = Server::start(loaded, &options).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.serve(pages));
    address
}

fn connect(address: SocketAddr, origin: &str) -> Result<WebSocket<TcpStream>, String> {
    let mut request = format!("ws://{address}/socket").into_client_request().unwrap();
    request.headers_mut().insert("Origin", origin.parse().unwrap());
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    tungstenite::client(request, stream).map(|(socket, _)| socket).map_err(|e| e.to_string())
}

/// A page without a screen.
struct Page {
    socket: WebSocket<TcpStream>,
    hello: Value,
    head: Vec<u8>,
    columns: Vec<String>,
    last_row: Vec<f32>,
    rows: usize,
}

impl Page {
    fn open(address: SocketAddr) -> Self {
        let mut socket = connect(address, &format!("http://{address}")).unwrap();
        let hello = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
        let head = socket.read().unwrap().into_data().to_vec();
        Self { socket, hello, head, columns: Vec::new(), last_row: Vec::new(), rows: 0 }
    }

    fn say(&mut self, command: Value) {
        self.socket.send(Message::text(command.to_string())).unwrap();
    }

    /// The next update, with the bytes of its frame.
    fn update(&mut self) -> (Value, Vec<u8>) {
        self.say(json!({ "do": "ready" }));
        loop {
            let Message::Binary(bytes) = self.socket.read().unwrap() else { continue };
            let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            let update: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
            if let Some(columns) = update["columns"].as_array() {
                self.columns = columns.iter().map(|c| c.as_str().unwrap().to_string()).collect();
            }
            let rows = update["rows"].as_u64().unwrap() as usize;
            let end = 4 + length + 4 * rows * self.columns.len();
            let figures = bytes[4 + length..end].as_chunks::<4>().0.iter();
            let figures: Vec<f32> = figures.map(|b| f32::from_le_bytes(*b)).collect();
            if let Some(last) = figures.chunks(self.columns.len().max(1)).last() {
                self.last_row = last.to_vec();
            }
            self.rows += rows;
            return (update, bytes[end..].to_vec());
        }
    }

    /// Updates until one is as wished.
    fn until(&mut self, wish: impl Fn(&Self, &Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let (update, _) = self.update();
            assert!(update["failure"].is_null(), "{}", update["failure"]);
            if wish(self, &update) {
                return update;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "waited in vain: {update}");
        }
    }

    fn figure(&self, name: &str) -> f32 {
        let column = self.columns.iter().position(|column| column == name);
        column.and_then(|column| self.last_row.get(column)).copied().unwrap_or(f32::NAN)
    }

    fn control(&self, title: &str) -> usize {
        let controls = self.hello["controls"].as_array().unwrap();
        let named =
            |c: &Value| format!("{}: {}", c["subject"], c["title"]).replace('"', "") == title;
        controls.iter().position(named).unwrap_or_else(|| panic!("{title} in {controls:?}"))
    }

    fn refusal(&mut self) -> String {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                let said: Value = serde_json::from_str(&text).unwrap();
                return said["refused"].as_str().unwrap().to_string();
            }
        }
    }
}

#[test]
fn only_its_own_page_may_steer() {
    let address = start("falling-block", &[]);
    assert!(address.ip().is_loopback());
    for origin in ["http://evil.org", "null", "http://127.0.0.1", "https://localhost:1"] {
        let error = connect(address, origin).expect_err("another page");
        assert!(error.contains("403"), "{origin}: {error}");
    }
    let ask = |text: String| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let get = |path: &str, host: &str| ask(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let host = address.to_string();
    let page = get("/", &host);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("default-src 'none'"));
    assert!(get("/", "evil.org").starts_with("HTTP/1.1 421"), "a name that was made to lead here");
    assert!(get("/../Cargo.toml", &host).starts_with("HTTP/1.1 404"));
    assert!(get("/socket", &host).starts_with("HTTP/1.1 404"), "no web socket was asked for");
    assert_eq!(ask("\0\u{1}nonsense\r\n\r\n".into()), "");
}

#[test]
fn malformed_messages_are_answered_and_change_nothing() {
    let address = start("falling-block", &[]);
    let mut page = Page::open(address);
    for text in [
        "",
        "{",
        "[]",
        "play",
        "{\"do\":\"explode\"}",
        "{\"do\":\"set\",\"control\":0}",
        "{\"do\":\"set\",\"control\":-1,\"value\":0}",
        "{\"do\":\"set\",\"control\":99999,\"value\":1}",
        "{\"do\":\"speed\",\"value\":-1}",
        "{\"do\":\"grab\",\"body\":99,\"at\":[0,0,0]}",
        "{\"do\":\"pull\",\"to\":[0,0,0]}",
        "{\"do\":\"grab\",\"body\":0,\"at\":[1e999,0,0]}",
        "{\"do\":\"set\",\"control\":0,\"value\":1e999}",
    ] {
        page.socket.send(Message::text(text)).unwrap();
        assert!(!page.refusal().is_empty(), "{text}");
    }
    page.socket.send(Message::binary(vec![0, 159, 146, 150])).unwrap();
    assert!(page.refusal().contains("texts"));
    // Raw rubbish on the line and an endless message end that line only.
    let mut rude = connect(address, &format!("http://{address}")).unwrap();
    rude.get_mut().write_all(&[0xff; 64]).unwrap();
    let mut long = connect(address, &format!("http://{address}")).unwrap();
    let _ = long.send(Message::text("x".repeat(1 << 20)));
    let (update, _) = page.update();
    assert_eq!((update["time"].as_f64(), update["playing"].as_bool()), (Some(0.0), Some(false)));
}

#[test]
fn time_goes_on_stops_steps_and_begins_anew() {
    let address = start("falling-block", &[]);
    let mut page = Page::open(address);
    let step = page.hello["time_step"].as_f64().unwrap();
    let (first, frame) = page.update();
    assert_eq!(first["time"], 0.0);
    // Head and frame together are a `frames.bin`.
    let file = [page.head.clone(), frame].concat();
    let mut reader = FrameReader::new(file.as_slice()).unwrap();
    let names: Vec<_> = reader.bodies().iter().map(|body| body.name.clone()).collect();
    let told: Vec<_> = page.hello["bodies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, told);
    assert!(reader.next_frame().unwrap().unwrap().positions[0].len() > 3);
    for _ in 0..3 {
        page.say(json!({ "do": "step" }));
    }
    let third = page.until(|_, update| update["steps"] == 3);
    assert!((third["time"].as_f64().unwrap() - 3.0 * step).abs() < 1e-9);
    assert_eq!(page.rows, 3);
    page.say(json!({ "do": "speed", "value": null }));
    page.say(json!({ "do": "play" }));
    page.until(|_, update| update["time"].as_f64().unwrap() > 10.0 * step);
    let mut other = Page::open(address);
    other.say(json!({ "do": "pause" }));
    other.until(|_, update| update["playing"] == false);
    let stopped = page.until(|_, update| update["playing"] == false);
    assert_eq!(page.rows as u64, stopped["steps"].as_u64().unwrap(), "no row is missed");
    page.say(json!({ "do": "reset" }));
    let again = other.until(|_, update| update["generation"] == 2);
    assert_eq!((again["time"].as_f64(), again["rows"].as_u64()), (Some(0.0), Some(0)));
}

#[test]
fn a_regulator_moved_by_hand_moves_the_pressure() {
    let address = start("bell", &[]);
    let mut page = Page::open(address);
    let titles: Vec<String> = page.hello["controls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{}: {}", c["subject"].as_str().unwrap(), c["title"].as_str().unwrap()))
        .collect();
    let title = titles.iter().find(|t| t.ends_with("Regulator (gauge)")).unwrap().clone();
    let (line, control) = (title.split(':').next().unwrap().to_string(), page.control(&title));
    page.say(json!({ "do": "speed", "value": null }));
    page.say(json!({ "do": "set", "control": control, "value": -20e3 }));
    page.say(json!({ "do": "play" }));
    let pressure = format!("line.{line}.pressure_pa");
    let near = |value: f32, wanted: f32| (value - wanted).abs() < 50.0;
    page.until(|page, _| near(page.figure(&pressure), 101_325.0 - 20e3));
    page.say(json!({ "do": "set", "control": control, "value": -5e3 }));
    let update = page.until(|page, _| near(page.figure(&pressure), 101_325.0 - 5e3));
    assert_eq!(update["controls"][control], json!({ "value": -5e3, "by_hand": true }));
    page.say(json!({ "do": "release", "control": control }));
    page.until(|_, update| update["controls"][control]["by_hand"] == false);
}

#[test]
fn a_pulled_body_moves_and_a_parameter_survives_a_new_beginning() {
    // Weightless, so that nothing but the hand moves it.
    let address = start("falling-block", &["gravity=[0,0,0]"]);
    let mut page = Page::open(address);
    let block =
        page.hello["bodies"].as_array().unwrap().iter().position(|b| b["kind"] == "fem").unwrap();
    let name = page.hello["bodies"][block]["name"].as_str().unwrap().to_string();
    page.say(json!({ "do": "speed", "value": null }));
    page.say(json!({ "do": "step" }));
    page.until(|_, update| update["steps"] == 1);
    let height = format!("body.{name}.z_m");
    let start = page.figure(&height);
    page.say(json!({ "do": "grab", "body": block, "at": [0, 0, start] }));
    page.say(json!({ "do": "pull", "to": [0, 0, start + 0.5] }));
    page.say(json!({ "do": "play" }));
    let update = page.until(|page, _| page.figure(&height) > start + 0.1);
    assert_eq!(update["pull"]["body"], block);
    page.say(json!({ "do": "let_go" }));
    page.until(|_, update| update["pull"].is_null());
    let friction = page.control("contact: Friction");
    page.say(json!({ "do": "set", "control": friction, "value": 0.125 }));
    page.say(json!({ "do": "reset" }));
    let update = page.until(|_, update| update["generation"] == 2);
    assert_eq!(update["controls"][friction], json!({ "value": 0.125, "by_hand": true }));
    page.say(json!({ "do": "release", "control": null }));
    page.until(|_, update| update["controls"][friction]["by_hand"] == false);
}

#[test]
fn a_page_that_does_not_listen_slows_nobody() {
    let address = start("falling-block", &[]);
    let mut lazy = Page::open(address);
    // It asks once and never reads again.
    lazy.say(json!({ "do": "ready" }));
    let mut page = Page::open(address);
    page.say(json!({ "do": "speed", "value": null }));
    page.say(json!({ "do": "play" }));
    page.until(|_, update| update["steps"].as_u64().unwrap() > 300);
    drop(lazy);
}
