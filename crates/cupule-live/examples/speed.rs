//! What a page costs the simulation: `speed [SCENE]` steps a scene to its end without a page and live with one that takes
//! every frame it can get, in turn, and prints both. The page here draws nothing: a browser's drawing is its own affair.

use std::error::Error;
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use cupule_live::{Options, Server};
use cupule_record::{Series, Stopwatch};
use cupule_session::Session;
use cupule_session::scene::{LoadedScene, load};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Simulated seconds a second without a page.
fn alone(loaded: &LoadedScene) -> Result<f64, Box<dyn Error>> {
    let mut session = Session::new(loaded.clone())?;
    let mut series = Series::new(session.sensors());
    let began = Instant::now();
    while session.time() < loaded.scene.duration {
        let mut watch = Stopwatch::start();
        session.step(&mut watch)?;
        series.push(session.sensors(), session.reading(), &watch.stop());
    }
    Ok(session.time() / began.elapsed().as_secs_f64())
}

fn connect(address: SocketAddr) -> Result<WebSocket<TcpStream>, Box<dyn Error>> {
    let mut request = format!("ws://{address}/socket").into_client_request()?;
    request.headers_mut().insert("Origin", format!("http://{address}").parse()?);
    Ok(tungstenite::client(request, TcpStream::connect(address)?)?.0)
}

/// Simulated seconds and frames a second with a page.
fn live(loaded: &LoadedScene) -> Result<[f64; 2], Box<dyn Error>> {
    let options = Options { port: Some(0), paused: true };
    let (server, pages) = Server::start(loaded.clone(), &options)?;
    let address = server.address();
    std::thread::spawn(move || server.serve(pages));
    let mut page = connect(address)?;
    for command in ["{\"do\":\"speed\",\"value\":null}", "{\"do\":\"play\"}", "{\"do\":\"ready\"}"]
    {
        page.send(Message::text(command))?;
    }
    let (began, mut frames) = (Instant::now(), 0);
    let mut greeted = false;
    loop {
        let Message::Binary(bytes) = page.read()? else { continue };
        // The first is the head of the frames.
        if !std::mem::replace(&mut greeted, true) {
            continue;
        }
        frames += 1;
        let (length, rest) = bytes.split_at(4);
        let length = u32::from_le_bytes(length.try_into()?) as usize;
        let update: Value = serde_json::from_slice(&rest[..length])?;
        let time = update["time"].as_f64().unwrap_or_default();
        if time >= loaded.scene.duration {
            let spent = began.elapsed().as_secs_f64();
            page.send(Message::text("{\"do\":\"pause\"}"))?;
            return Ok([time / spent, f64::from(frames) / spent]);
        }
        page.send(Message::text("{\"do\":\"ready\"}"))?;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scene = std::env::args().nth(1).unwrap_or_else(|| "ground".into());
    let loaded = load(&scene, &[])?;
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let without = alone(&loaded)?;
        let [with, frames] = live(&loaded)?;
        ratios.push(with / without);
        println!(
            "{scene}: {without:.2} x real time alone, {with:.2} x live with {frames:.0} frames/s"
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("live over alone, median of five: {:.3}", ratios[2]);
    Ok(())
}
