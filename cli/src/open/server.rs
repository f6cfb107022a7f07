//! A server for this computer's own browser. It listens on the loopback interface alone, and answers only who knows
//! the secret within its address.
//!
//! Others on this computer can reach it, and so can any page that its browser shows. So a request is refused whose
//! `Host` is another name (a page of others whose name was made to lead here: DNS rebinding), whose `Origin` is
//! another page, that has no secret or a wrong one, that brings a body, or that is long or slow. Heads are read by
//! `httparse`, at most [`MOST_HEAD`] bytes of them, within [`PATIENCE`]; a connection is for one request, which may
//! open a WebSocket.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::handshake::machine::TryParse;
use tungstenite::handshake::server::{Request as Upgrade, create_response, write_response};

/// Bytes that the head of a request may have, and headers in it.
const MOST_HEAD: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;

/// How long a head may take, and how long a piece of an answer may wait for its reader.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST_WAIT: Duration = Duration::from_secs(60);

/// Connections at once; browsers have six.
const MOST_CONNECTIONS: usize = 64;

/// How long the rest of a refused request is read, so that its sender hears the refusal.
const MOST_IGNORANCE: Duration = Duration::from_secs(1);

/// Bytes of the secret.
const SECRET: usize = 16;

/// What goes with every answer. No other page may read it (no CORS headers), hold it (CORP), share a process with it
/// (COOP), show it in a frame, or learn its address (no referrer); no type is guessed, and nothing stays in the
/// browser. Pages carry the rest of their policy themselves (xtask/src/policy.rs).
const HEADERS: &str = "Cache-Control: no-store\r\n\
    Connection: close\r\n\
    Content-Security-Policy: base-uri 'none'; form-action 'none'; frame-ancestors 'self'; object-src 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n";

/// A server that listens.
pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    secret: String,
}

/// What is asked for.
pub(super) struct Request {
    /// What stands behind the secret, decoded: "" or a name.
    pub(super) path: String,
    /// Whether the answer may be compressed with gzip.
    pub(super) takes_gzip: bool,
    /// Whether it says that our own page asks; browsers do not leave that out where a page opens a WebSocket.
    is_of_page: bool,
}

/// What comes of a request.
pub(super) enum Outcome {
    /// A file.
    File(Answer),
    /// A WebSocket, if the page asks for one: it begins once the handshake is over.
    Talk(Talk),
}

/// Talks for as long as a connection lasts.
type Talk = Box<dyn FnOnce(TcpStream) -> io::Result<()>>;

/// What is sent.
pub(super) struct Answer {
    pub(super) content_type: &'static str,
    pub(super) is_gzip: bool,
    pub(super) body: Body,
}

/// Writes bytes on their way.
type Make = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// The bytes of an answer.
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// A file, of so many bytes.
    File(File, u64),
    /// What is made on the way, of a length that nobody knows yet.
    Made(Make),
}

/// Why a request gets no answer: a status, and words.
struct Refusal(u16, &'static str);

impl Server {
    /// Listens on a port of this computer's own; on one of the system's choice where it is 0.
    pub(super) fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let mut bytes = [0; SECRET];
        getrandom::fill(&mut bytes).map_err(|why| io::Error::other(why.to_string()))?;
        let secret = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            listener,
            port,
            secret,
        })
    }

    /// Where it answers: ends in `/`.
    pub(super) fn address(&self) -> String {
        format!(
            "http://{}:{}/{}/",
            Ipv4Addr::LOCALHOST,
            self.port,
            self.secret
        )
    }

    /// Answers requests, for as long as the program runs. `answer`: `None` where nothing has this name.
    pub(super) fn serve(
        self,
        answer: impl Fn(&Request) -> io::Result<Option<Outcome>> + Send + Sync + 'static,
    ) {
        let server = Arc::new((self, answer));
        let open = Arc::new(AtomicUsize::new(0));
        for connection in server.0.listener.incoming() {
            let Ok(connection) = connection else {
                // Such as too many open files: later there are fewer.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (server, counted) = (Arc::clone(&server), Arc::clone(&open));
            let begun = thread::Builder::new().spawn(move || {
                let (server, answer) = &*server;
                // Who has gone away hears nothing.
                let _ = server.answer(connection, answer);
                counted.fetch_sub(1, Ordering::Relaxed);
            });
            if begun.is_err() {
                open.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    fn answer(
        &self,
        mut to: TcpStream,
        answer: &impl Fn(&Request) -> io::Result<Option<Outcome>>,
    ) -> io::Result<()> {
        to.set_write_timeout(Some(MOST_WAIT))?;
        let asked = head(&mut to)?.and_then(|head| {
            let (is_head, request) = self.read(&head)?;
            Ok((head, is_head, request))
        });
        let (head, is_head, request) = match asked {
            Ok(asked) => asked,
            Err(refusal) => return refuse(to, &refusal),
        };
        let not_there = Refusal(404, "There is nothing at this address.");
        let cannot_be_read = Refusal(500, "The file cannot be read.");
        match answer(&request) {
            Ok(Some(Outcome::File(answer))) => send(to, is_head, answer),
            Ok(Some(Outcome::Talk(talk))) => match handshake(&head) {
                Some(response) if request.is_of_page => {
                    to.write_all(&response)?;
                    talk(to)
                }
                _ => refuse(to, &NO_SOCKET),
            },
            Ok(None) => refuse(to, &not_there),
            Err(_) => refuse(to, &cannot_be_read),
        }
    }

    /// What the head of a request asks for, and whether of the answer's head alone.
    fn read(&self, head: &[u8]) -> Result<(bool, Request), Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(head) {
            Ok(httparse::Status::Complete(_)) => {}
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Refusal(431, "The request has too many headers."));
            }
            _ => return Err(Refusal(400, "This is no request.")),
        }
        let only = |name: &str| -> Result<Option<&str>, Refusal> {
            let mut found = parsed
                .headers
                .iter()
                .filter(|header| header.name.eq_ignore_ascii_case(name));
            let first = found.next().map(|header| std::str::from_utf8(header.value));
            match (first, found.next()) {
                (None, _) => Ok(None),
                (Some(Ok(value)), None) => Ok(Some(value)),
                _ => Err(Refusal(
                    400,
                    "The request says the same twice, or is no text.",
                )),
            }
        };
        let host = only("host")?;
        if !host.is_some_and(|host| self.is_ours(host)) {
            return Err(Refusal(
                403,
                "This server answers under its own address alone.",
            ));
        }
        let is_own = |origin: &str| {
            origin
                .strip_prefix("http://")
                .is_some_and(|origin| Some(origin) == host)
        };
        let origin = only("origin")?;
        if !origin.is_none_or(is_own) {
            return Err(Refusal(403, "This server answers no other pages."));
        }
        let is_head = match parsed.method {
            Some("GET") => false,
            Some("HEAD") => true,
            _ => return Err(Refusal(405, "This server is read from alone.")),
        };
        let length = only("content-length")?;
        if only("transfer-encoding")?.is_some() || length.is_some_and(|length| length != "0") {
            return Err(Refusal(413, "This server takes nothing in."));
        }
        let takes_gzip = only("accept-encoding")?
            .is_some_and(|all| all.split(',').any(|one| one.trim() == "gzip"));
        let target = parsed.path.unwrap_or_default();
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        // Another address and a wrong secret are told alike.
        let path = path
            .filter(|(secret, _)| self.is_secret(secret))
            .and_then(|(_, path)| decoded(path));
        let path = path.ok_or(Refusal(404, "There is nothing at this address."))?;
        let request = Request {
            path,
            takes_gzip,
            is_of_page: origin.is_some(),
        };
        Ok((is_head, request))
    }

    /// Whether a `Host` is this computer's own name and our port, which browsers leave out where it is http's.
    fn is_ours(&self, host: &str) -> bool {
        let name = match host.strip_suffix(&format!(":{}", self.port)) {
            None if self.port != 80 => return false,
            name => name.unwrap_or(host),
        };
        name == Ipv4Addr::LOCALHOST.to_string() || name.eq_ignore_ascii_case("localhost")
    }

    /// Whether it is the secret; how long that takes does not tell how much of it is right.
    fn is_secret(&self, text: &str) -> bool {
        let (ours, theirs) = (self.secret.as_bytes(), text.as_bytes());
        let differences = ours
            .iter()
            .zip(theirs)
            .fold(0, |all, (ours, theirs)| all | (ours ^ theirs));
        ours.len() == theirs.len() && differences == 0
    }
}

/// The head of a request, or why there is none.
fn head(from: &mut TcpStream) -> io::Result<Result<Vec<u8>, Refusal>> {
    let begin = Instant::now();
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    loop {
        let left = PATIENCE.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Ok(Err(Refusal(408, "The request takes too long.")));
        }
        from.set_read_timeout(Some(left))?;
        let length = match from.read(&mut piece) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(length) => length,
            // A timeout is either, as the system likes.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) =>
            {
                continue;
            }
            Err(error) => return Err(error),
        };
        // The end may stand between two pieces.
        let from = head.len().saturating_sub(3);
        head.extend_from_slice(&piece[..length]);
        if let Some(end) = head[from..].windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(from + end + 4);
            let is_short = head.len() <= MOST_HEAD;
            return Ok(if is_short { Ok(head) } else { Err(TOO_LONG) });
        }
        if head.len() > MOST_HEAD {
            return Ok(Err(TOO_LONG));
        }
    }
}

const NO_SOCKET: Refusal = Refusal(400, "This address is for a WebSocket of the page's own.");

/// The answer to the head of a request that opens a WebSocket, as the library that speaks it has it; `None` for others.
fn handshake(head: &[u8]) -> Option<Vec<u8>> {
    let (_, request) = Upgrade::try_parse(head).ok()??;
    let response = create_response(&request).ok()?;
    let mut bytes = Vec::new();
    write_response(&mut bytes, &response).ok()?;
    Some(bytes)
}

const TOO_LONG: Refusal = Refusal(431, "The request is too long.");

/// A path without its percent signs; `None` where it is no text then.
fn decoded(path: &str) -> Option<String> {
    let text = percent_encoding::percent_decode_str(path)
        .decode_utf8()
        .ok()?;
    (!text.contains('\0')).then(|| text.into_owned())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

fn refuse(mut to: TcpStream, Refusal(status, words): &Refusal) -> io::Result<()> {
    let reason = reason(*status);
    let allow = if *status == 405 {
        "Allow: GET, HEAD\r\n"
    } else {
        ""
    };
    let length = words.len() + 1;
    write!(
        to,
        "HTTP/1.1 {status} {reason}\r\n{HEADERS}{allow}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{words}\n"
    )?;
    to.shutdown(Shutdown::Write)?;
    // Closed while something is still unread, the connection would be reset before the words are.
    let begin = Instant::now();
    to.set_read_timeout(Some(MOST_IGNORANCE))?;
    let mut piece = [0; 2048];
    while begin.elapsed() < MOST_IGNORANCE && to.read(&mut piece)? > 0 {}
    Ok(())
}

fn send(mut to: TcpStream, is_head: bool, answer: Answer) -> io::Result<()> {
    let Answer {
        content_type,
        is_gzip,
        body,
    } = answer;
    let length = match &body {
        Body::Bytes(bytes) => Some(bytes.len() as u64),
        Body::File(_, length) => Some(*length),
        Body::Made(_) => None,
    };
    let length = length.map_or(String::new(), |length| {
        format!("Content-Length: {length}\r\n")
    });
    let encoding = if is_gzip {
        "Content-Encoding: gzip\r\n"
    } else {
        ""
    };
    write!(
        to,
        "HTTP/1.1 200 OK\r\n{HEADERS}Vary: Accept-Encoding\r\nContent-Type: {content_type}\r\n{encoding}{length}\r\n"
    )?;
    if !is_head {
        match body {
            Body::Bytes(bytes) => to.write_all(&bytes)?,
            Body::File(file, length) => {
                io::copy(&mut file.take(length), &mut to)?;
            }
            Body::Made(make) => make(&mut io::BufWriter::new(&mut to))?,
        }
    }
    to.flush()?;
    to.shutdown(Shutdown::Write)
}
