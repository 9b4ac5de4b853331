//! The little of HTTP that a page and a web socket need: the head of a request, and whether it comes from our own page.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// Larger than any head a browser sends here.
const LARGEST_HEAD: usize = 16 << 10;

/// The head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Such as `GET`.
    pub method: String,
    /// Such as `/`.
    pub path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// Reads the head; what comes after it must not have been sent yet.
    pub fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        let mut byte = [0];
        // Byte by byte, so that nothing of what follows is taken: a head is short and read once.
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= LARGEST_HEAD || stream.read(&mut byte)? == 0 {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "no head of a request"));
            }
            head.push(byte[0]);
        }
        Self::parse(&String::from_utf8_lossy(&head))
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a request"))
    }

    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_string(), first.next()?.to_string());
        first.next().filter(|version| version.starts_with("HTTP/1."))?;
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_string()))
        };
        Some(Self { method, path, headers: lines.filter_map(header).collect() })
    }

    /// A header by its name in lower case; none if it is there twice.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        value.filter(|_| found.next().is_none())
    }

    /// Whether it asks for a web socket.
    pub fn is_upgrade(&self) -> bool {
        self.header("upgrade").is_some_and(|word| word.eq_ignore_ascii_case("websocket"))
    }

    /// Whether it names this server: a name that leads here by a trick of its owner is refused.
    pub fn is_for(&self, port: u16) -> bool {
        self.header("host").is_some_and(|host| own_names(port).iter().any(|own| own == host))
    }

    /// Whether it was sent by a page of this server.
    pub fn is_from(&self, port: u16) -> bool {
        let own =
            |origin: &str| own_names(port).iter().any(|own| format!("http://{own}") == origin);
        self.header("origin").is_some_and(own)
    }
}

fn own_names(port: u16) -> [String; 2] {
    ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"))
}

/// Answers and closes.
pub fn answer(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\r\n"
    )?;
    stream.write_all(body)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(lines: &[&str]) -> io::Result<Request> {
        Request::read(&mut format!("{}\r\n\r\nrest", lines.join("\r\n")).as_bytes())
    }

    #[test]
    fn only_our_own_page_is_ours() {
        let with = |host: &str, origin: &str| {
            let lines =
                ["GET /socket HTTP/1.1", &format!("HOST: {host}"), &format!("Origin: {origin}")];
            let request = request(&lines).unwrap();
            request.is_for(80) && request.is_from(80)
        };
        assert!(with("127.0.0.1:80", "http://127.0.0.1:80"));
        assert!(with("localhost:80", "http://localhost:80"));
        for (host, origin) in [
            ("127.0.0.1:80", "http://127.0.0.1:81"),
            ("127.0.0.1:80", "https://127.0.0.1:80"),
            ("127.0.0.1:80", "http://127.0.0.1:80.evil.org"),
            ("127.0.0.1:80", "null"),
            ("127.0.0.1:80", ""),
            ("evil.org:80", "http://127.0.0.1:80"),
            ("evil.org", "http://evil.org"),
        ] {
            assert!(!with(host, origin), "{host} {origin}");
        }
        let twice = [
            "GET / HTTP/1.1",
            "Host: 127.0.0.1:80",
            "Host: evil.org",
            "Origin: http://localhost:80",
        ];
        assert!(!request(&twice).unwrap().is_for(80));
    }

    #[test]
    fn nonsense_and_endless_heads_are_refused() {
        assert!(request(&["hello"]).is_err());
        assert!(request(&["GET / FTP/1"]).is_err());
        assert!(Request::read(&mut io::repeat(b'a')).is_err());
        assert!(Request::read(&mut &b"GET / HTTP/1.1\r\nHost"[..]).is_err());
        assert!(request(&["GET / HTTP/1.1", "no colon"]).unwrap().header("no colon").is_none());
    }
}
