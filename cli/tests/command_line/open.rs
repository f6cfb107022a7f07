//! The page, served to this computer's own browser: what it answers, and everything that it refuses.

use super::{failure, json, switchyard, temporary};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What its page ends with, behind what the program says of itself.
const PAGE: &[u8] = b"><p>the page";

/// A page that is none, and beside it a file that is nobody's business.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(test: &str) -> Self {
        let folder = PathBuf::from(temporary(&format!("open-{test}")));
        std::fs::create_dir_all(folder.join("dist/weights")).expect("a folder");
        let made = Self(folder);
        made.write(
            "dist/index.html",
            "<link rel=\"manifest\" href=\"./m.webmanifest\"><p>the page",
        );
        made.write("dist/worker_bg.wasm", "\0asm");
        made.write("dist/app.js", "1");
        made.write("dist/weights/a b.safetensors", "w");
        made.write("secret.txt", "nobody's business");
        made.write("dist.txt", "nobody's business");
        made
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the folder is there");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("ours");
    }
}

/// `switchyard open` with a page, until the test ends.
pub(super) struct Served {
    pub(super) program: Child,
    pub(super) port: u16,
    pub(super) secret: String,
    /// What stands behind the page's `#`.
    link: String,
}

impl Served {
    pub(super) fn with(folder: &Folder, arguments: &[&str]) -> Self {
        Self::fed(folder, arguments, "")
    }

    /// The same, with this on its standard input.
    fn fed(folder: &Folder, arguments: &[&str], input: &str) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_switchyard"))
            .args(["open", "--no-browser", "--page", &folder.path("dist")])
            .args(arguments)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut typed = program.stdin.take().expect("piped");
        typed.write_all(input.as_bytes()).expect("it is read");
        drop(typed);
        let mut line = String::new();
        let output = program.stdout.as_mut().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("text");
        let address = line
            .trim()
            .strip_prefix("Switchyard is at http://127.0.0.1:")
            .unwrap_or_else(|| panic!("{line}"));
        let (address, link) = address.split_once('#').unwrap_or((address, ""));
        let (port, secret) = address.split_once('/').expect("a path");
        Self {
            port: port.parse().expect("a port"),
            secret: secret.trim_end_matches('/').to_owned(),
            link: link.to_owned(),
            program,
        }
    }

    /// Everything that comes for these bytes.
    fn raw(&self, request: &[u8]) -> Vec<u8> {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let patience = Some(Duration::from_secs(60));
        connection.set_read_timeout(patience).expect("a time");
        // Whoever is refused early may not get rid of all.
        let _ = connection.write_all(request);
        let _ = connection.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = connection.read_to_end(&mut answer);
        answer
    }

    /// Head and body of the answer to a request with these lines below its first one.
    pub(super) fn ask(&self, first: &str, lines: &[&str]) -> (String, Vec<u8>) {
        let mut request = format!("{first}\r\n");
        for line in lines {
            request += &format!("{line}\r\n");
        }
        let answer = self.raw(format!("{request}\r\n").as_bytes());
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{first}: {}", String::from_utf8_lossy(&answer)));
        let head = String::from_utf8(answer[..end].to_vec()).expect("text");
        (head, answer[end + 4..].to_vec())
    }

    /// The same, below the secret, as the page asks.
    pub(super) fn get(&self, path: &str) -> (String, Vec<u8>) {
        // As browsers write letters of other alphabets.
        let path = percent_encoding::utf8_percent_encode(path, percent_encoding::CONTROLS);
        let first = format!("GET /{}/{path} HTTP/1.1", self.secret);
        self.ask(&first, &[&self.host(), "Accept-Encoding: gzip, br"])
    }

    pub(super) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    /// The address of what the page opens, below the secret, as its link names it.
    fn trace(&self) -> String {
        let home = format!("http://127.0.0.1:{}/{}/", self.port, self.secret);
        let url = switchyard_app::Permalink::read(&self.link)
            .find(|(key, _)| *key == "url")
            .expect("the link names a trace")
            .1
            .into_owned();
        url.strip_prefix(&home).expect("ours").to_owned()
    }

    #[track_caller]
    pub(super) fn is_well(&self) {
        let (head, body) = self.get("");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(body.ends_with(PAGE), "{head}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

pub(super) fn status(head: &str) -> u16 {
    let word = head.split(' ').nth(1);
    word.and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("{head}"))
}

#[test]
fn what_cannot_be_opened_is_said_before_anything_is_served() {
    let folder = Folder::new("refused");
    let page = folder.path("dist");
    let open = |what: &str| failure(2, &["open", "--no-browser", "--page", &page, what]);
    assert!(open("nowhere.csv").starts_with("switchyard: cannot read nowhere.csv: "));
    assert!(open(".").contains(". is no file: name files"));
    assert!(
        open("sample:house")
            .starts_with("switchyard: there is no sample 'house': use one of lab, ")
    );
    assert!(open("--policy=lifo").contains("there is no policy 'lifo'"));
    assert!(open("--cluster=many").contains("'many' is not a cluster"));
    assert!(open("--restart-cost=-1").contains("--restart-cost is '-1': it takes a number"));
    let both = ["open", "--page", &page, "sample:lab", "tiresias.csv"];
    assert!(failure(2, &both).contains("sample:lab is opened alone"));
    // It takes no room: nothing is in it.
    let large = std::fs::File::create(folder.path("large.csv")).expect("the folder is there");
    large.set_len(600_000_000).expect("a file with a hole");
    let why = open(&folder.path("large.csv"));
    assert!(
        why.contains("large.csv there are more than 512 MB, which the page does not fetch"),
        "{why}"
    );
    let none = failure(2, &["open", "--page", &folder.path("dist/weights")]);
    assert!(
        none.contains("has no index.html: name the folder that `cargo xtask build` makes"),
        "{none}"
    );
    // Its tests know no page, unless somebody builds them with one.
    if option_env!("SWITCHYARD_PAGE").is_none() {
        let none = failure(2, &["open", "tiresias.csv"]);
        assert!(
            none.contains("was built without the page: name a folder"),
            "{none}"
        );
    }
}

#[test]
fn the_page_is_served_as_browsers_need_it() {
    let folder = Folder::new("served");
    let served = Served::with(&folder, &[]);
    assert_eq!(served.link, "");
    let (head, body) = served.get("");
    // It is no app: its address will be gone.
    assert!(body.starts_with(b"<meta name=\"switchyard-native\"") && body.ends_with(PAGE));
    for line in [
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=utf-8",
        &format!("Content-Length: {}", body.len()),
        "Cache-Control: no-store",
        "Cross-Origin-Opener-Policy: same-origin",
        "Cross-Origin-Resource-Policy: same-origin",
        "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
    ] {
        assert!(head.lines().any(|other| other == line), "{line}: {head}");
    }
    assert!(head.contains("frame-ancestors 'self'"), "{head}");
    assert!(!head.to_lowercase().contains("access-control-"), "{head}");
    for (name, kind, content) in [
        ("worker_bg.wasm?v=7", "application/wasm", "\0asm"),
        ("app.js", "text/javascript; charset=utf-8", "1"),
        ("weights/a%20b.safetensors", "application/octet-stream", "w"),
    ] {
        let (head, body) = served.get(name);
        assert!(
            head.contains(&format!("Content-Type: {kind}\r\n")),
            "{name}: {head}"
        );
        assert_eq!(body, content.as_bytes(), "{name}");
    }
    let (head, again) = served.get("index.html?embed=yard");
    assert!(head.contains("Content-Type: text/html; charset=utf-8\r\n"));
    assert_eq!(again, body);
    let first = format!("HEAD /{}/app.js HTTP/1.1", served.secret);
    let (head, body) = served.ask(&first, &[&format!("Host: localhost:{}", served.port)]);
    assert!(
        head.contains("Content-Length: 1") && status(&head) == 200,
        "{head}"
    );
    assert!(body.is_empty());
    // Another time it is another address.
    let other = Served::with(&folder, &[]);
    assert_eq!((served.secret.len(), other.secret.len()), (32, 32));
    assert_ne!(served.secret, other.secret);
}

#[test]
fn a_file_is_opened_by_a_link_with_what_is_asked_for() {
    let folder = Folder::new("file");
    folder.write(
        "my größte jobs & %2e.csv",
        "job,submit,duration,gpus\na,0,60,1\n",
    );
    let file = folder.path("my größte jobs & %2e.csv");
    let asked = [
        "--policy",
        "tiresias-las[queues=2]",
        "--policy",
        "srtf",
        "--cluster",
        "4x4",
        "--restart-cost",
        "90s",
    ];
    let served = Served::with(&folder, &[&[&file[..]], &asked[..]].concat());
    let rest = "&cluster=4x4&restart=90s&run=tiresias-las[queues=2]&run=srtf";
    assert!(
        served.link.starts_with("v=1&url=http") && served.link.ends_with(rest),
        "{}",
        served.link
    );
    let trace = served.trace();
    assert_eq!(trace, "trace/my-größte-jobs----2e.csv");
    let (head, body) = served.get(&trace);
    assert!(
        head.contains("Content-Type: application/octet-stream\r\n"),
        "{head}"
    );
    assert!(head.contains("X-Content-Type-Options: nosniff"), "{head}");
    assert_eq!(body, std::fs::read(&file).expect("it is there"));
    // It is read anew each time, and nothing beside it is.
    folder.write("my größte jobs & %2e.csv", "job,submit,duration,gpus\n");
    assert_eq!(served.get(&trace).1, b"job,submit,duration,gpus\n");
    for other in [
        "trace/",
        "trace/secret.txt",
        "trace/../secret.txt",
        "secret.txt",
    ] {
        assert_eq!(status(&served.get(other).0), 404, "{other}");
    }
    std::fs::remove_file(&file).expect("it is there");
    assert_eq!(status(&served.get(&trace).0), 500);
    served.is_well();
}

#[test]
fn several_files_are_opened_as_one_trace() {
    let folder = Folder::new("several");
    std::fs::create_dir_all(folder.path("other")).expect("a folder");
    let rows = |from: u32| {
        (from..from + 9)
            .map(|at| format!("j{at},{at},60,1,t\n"))
            .collect::<String>()
    };
    let head = "job,submit,duration,gpus,tenant\n";
    for (name, from) in [("a.csv", 0), ("other/a.csv", 100), ("b.csv", 200)] {
        folder.write(name, &format!("{head}{}", rows(from)));
    }
    let files = ["a.csv", "b.csv", "other/a.csv"].map(|name| folder.path(name));
    let files = files.each_ref().map(String::as_str);
    let served = Served::with(&folder, &files);
    let trace = served.trace();
    assert_eq!(trace, "trace/a.csv+2.tar");
    let archive = folder.path("all.tar");
    std::fs::write(&archive, served.get(&trace).1).expect("the folder is there");
    let of =
        |trace: &[&str]| json(&[&["run"], trace, &["--policy", "fifo", "--json", "-"]].concat());
    let (together, packed) = (of(&files), of(&[&archive]));
    for figure in ["log_hash", "jct", "jobs"] {
        assert_eq!(packed["runs"][0][figure], together["runs"][0][figure]);
    }
    assert_eq!(packed["trace"]["jobs"], 27);
}

#[test]
fn standard_input_and_samples_are_opened() {
    let folder = Folder::new("others");
    let sample = Served::with(&folder, &["sample:three-jobs", "--policy", "fifo"]);
    assert_eq!(sample.link, "v=1&sample=three-jobs&run=fifo");
    assert_eq!(status(&sample.get("trace/").0), 404);
    let table = "job,submit,duration,gpus\na,0,60,1\n";
    let piped = Served::fed(&folder, &["-"], table);
    assert_eq!(piped.trace(), "trace/standard-input");
    assert_eq!(piped.get("trace/standard-input").1, table.as_bytes());
    let mut command = switchyard(&["open", "-", "tiresias.csv", "--page", &folder.path("dist")]);
    let refused = command.write_stdin("").assert().code(2);
    let words = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(
        words.contains("standard input (-) is opened alone"),
        "{words}"
    );
}

#[test]
fn other_origins_other_names_and_wrong_secrets_are_refused() {
    let folder = Folder::new("origins");
    let served = Served::with(&folder, &["tiresias.csv"]);
    let (host, port) = (served.host(), served.port);
    let first = format!("GET /{}/ HTTP/1.1", served.secret);
    let localhost = format!("Host: localhost:{port}");
    let own = format!("Origin: http://127.0.0.1:{port}");
    let of_other_port = format!("Origin: http://127.0.0.1:{}", port.wrapping_add(1));
    let of_other_name = format!("Origin: http://localhost:{port}");
    let secure = format!("Origin: https://127.0.0.1:{port}");
    let other_port = format!("Host: 127.0.0.1:{}", port.wrapping_add(1));
    let rebound = format!("Host: attacker.example:{port}");
    let below = format!("Host: 127.0.0.1:{port}.attacker.example");
    let before = format!("Host: x127.0.0.1:{port}");
    let login = format!("Host: a@127.0.0.1:{port}");
    let any = format!("Host: 0.0.0.0:{port}");
    let cases: &[(&[&str], u16)] = &[
        (&[&host], 200),
        (&[&host, &own], 200),
        (&[&localhost], 200),
        (&[&localhost, &of_other_name], 200),
        // Of other pages.
        (&[&host, "Origin: https://attacker.example"], 403),
        (&[&host, "Origin: null"], 403),
        (&[&host, &of_other_port], 403),
        (&[&host, &of_other_name], 403),
        (&[&host, &secure], 403),
        (&[&host, "Origin: "], 403),
        (&[&host, &own, "Origin: https://attacker.example"], 400),
        // Under other names.
        (&[], 403),
        (&[&rebound], 403),
        (&["Host: attacker.example"], 403),
        (&["Host: 127.0.0.1"], 403),
        (&[&other_port], 403),
        (&[&below], 403),
        (&[&before], 403),
        (&[&login], 403),
        (&[&any], 403),
        (&["Host: "], 403),
        (&[&host, &rebound], 400),
        (&[&rebound, &host], 400),
    ];
    for (lines, expected) in cases {
        let (head, body) = served.ask(&first, lines);
        assert_eq!(status(&head), *expected, "{lines:?}: {head}");
        assert_eq!(body.ends_with(PAGE), *expected == 200, "{lines:?}");
        assert!(!head.to_lowercase().contains("access-control-"), "{head}");
    }
    // Without the whole secret nothing is told of: not even whether something is there.
    let almost = format!("{}0", &served.secret[..31]);
    let almost = if almost == served.secret {
        format!("{}1", &served.secret[..31])
    } else {
        almost
    };
    let trace = served.trace();
    let secret = &served.secret;
    let (short, upper) = (&secret[..31], secret.to_uppercase());
    let mut told = Vec::new();
    let wrong = [
        "/".to_owned(),
        "/index.html".to_owned(),
        format!("/{trace}"),
        format!("/{almost}/"),
        format!("/{almost}/{trace}"),
        format!("/{short}/"),
        format!("/{secret}0/"),
        format!("/?{secret}/"),
        format!("/x/{secret}/"),
        format!("//{secret}/"),
        format!("/{secret}"),
        format!("/{secret}/nothing"),
    ];
    for path in wrong
        .iter()
        .chain((upper != *secret).then_some(&format!("/{upper}/")))
    {
        let (head, body) = served.ask(&format!("GET {path} HTTP/1.1"), &[&host]);
        assert_eq!(status(&head), 404, "{path}");
        told.push((head, body));
    }
    assert!(told.windows(2).all(|two| two[0] == two[1]));
    served.is_well();
}

#[test]
fn no_path_leads_out_of_the_page() {
    let folder = Folder::new("paths");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(""), folder.path("dist/up"))
        .expect("the folder is there");
    let served = Served::with(&folder, &["tiresias.csv"]);
    let whole = folder.path("secret.txt");
    for path in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "%252e%252e%252fsecret.txt",
        "weights/../../secret.txt",
        "./../secret.txt",
        "..\\secret.txt",
        "..%5csecret.txt",
        "....//secret.txt",
        "up/secret.txt",
        "%00",
        "index.html%00.txt",
        "trace/../../secret.txt",
        "trace/%2e%2e/secret.txt",
        "trace/..%2f..%2fsecret.txt",
        "trace//etc/passwd",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "file:///etc/passwd",
        "%ff%fe",
        "weights",
        "weights/",
        ".",
        "..",
        &whole,
        &format!("/{whole}"),
        &format!("../{}", "../".repeat(20)),
    ] {
        let (head, body) = served.get(path);
        assert_eq!(status(&head), 404, "{path}");
        assert!(!String::from_utf8_lossy(&body).contains("nobody"), "{path}");
    }
    // What is no path at all.
    for target in ["http://127.0.0.1/", "*", "127.0.0.1:80", "index.html"] {
        let (head, _) = served.ask(&format!("GET {target} HTTP/1.1"), &[&served.host()]);
        assert!([400, 404].contains(&status(&head)), "{target}: {head}");
    }
    served.is_well();
}

#[test]
fn other_methods_bodies_and_endless_heads_are_refused() {
    let folder = Folder::new("bodies");
    let served = Served::with(&folder, &[]);
    let host = served.host();
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "get", "X",
    ] {
        let (head, _) = served.ask(&format!("{method} /{}/ HTTP/1.1", served.secret), &[&host]);
        assert_eq!(status(&head), 405, "{method}");
        assert!(head.contains("Allow: GET, HEAD"), "{head}");
    }
    let first = format!("GET /{}/ HTTP/1.1", served.secret);
    let many: Vec<String> = (0..200).map(|at| format!("X-{at}: 1")).collect();
    let many: Vec<&str> = std::iter::once(&host)
        .chain(&many)
        .map(String::as_str)
        .collect();
    let long = format!("X: {}", "x".repeat(20_000));
    let cases: &[(&[&str], u16)] = &[
        (&[&host, "Content-Length: 0"], 200),
        (&[&host, "Content-Length: 5"], 413),
        // As much as there is no memory for, and more than there are numbers.
        (&[&host, "Content-Length: 9000000000000000000"], 413),
        (&[&host, "Content-Length: 99999999999999999999999999"], 413),
        (&[&host, "Content-Length: -1"], 413),
        (&[&host, "Content-Length: x"], 413),
        (&[&host, "Transfer-Encoding: chunked"], 413),
        (&[&host, "Content-Length: 0", "Content-Length: 9"], 400),
        (&[&host, "no header"], 400),
        (&[&host, " folded: 1"], 400),
        (&[&host, "X: \u{1}"], 400),
        (&many, 431),
        (&[&host, &long], 431),
    ];
    for (lines, expected) in cases {
        let (head, _) = served.ask(&first, lines);
        assert_eq!(status(&head), *expected, "{:.80?}: {head}", lines.join("|"));
    }
    // What has no end, or was no request from its beginning. A server that keeps what it reads would not end, either.
    let body = vec![b'x'; 8 << 20];
    let bodied = format!(
        "{first}\r\n{host}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = served.raw(&[bodied.as_bytes(), &body].concat());
    assert!(!answer.windows(8).any(|eight| eight == b"the page"));
    for bytes in [
        &b"\0\x01\xff\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"\x16\x03\x01\x02\0\x01\0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost\xff: a\r\n\r\n",
    ] {
        let answer = served.raw(bytes);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{bytes:?}: {answer}");
    }
    let endless = [b"GET /".as_slice(), &body].concat();
    let answer = served.raw(&endless);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431 "));
    served.raw(b"");
    served.raw(b"GET / HTT");
    served.is_well();
}

#[test]
fn who_says_nothing_keeps_nobody_else_out() {
    let folder = Folder::new("silent");
    let served = Served::with(&folder, &[]);
    let silent = || TcpStream::connect(("127.0.0.1", served.port)).expect("it listens");
    let silent: Vec<TcpStream> = (0..40).map(|_| silent()).collect();
    served.is_well();
    drop(silent);
    served.is_well();
}

/// The addresses that listen on a port, as Linux lists them.
#[cfg(target_os = "linux")]
#[test]
fn only_this_computer_is_listened_to() {
    let folder = Folder::new("loopback");
    let served = Served::with(&folder, &[]);
    let ending = format!(":{:04X}", served.port);
    let mut listening = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let table = std::fs::read_to_string(table).unwrap_or_default();
        let rows = table
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        // 0A: it listens.
        let ours = rows.filter(|row| row.get(3) == Some(&"0A") && row[1].ends_with(&ending));
        listening.extend(ours.map(|row| row[1].to_owned()));
    }
    assert_eq!(listening, [format!("0100007F{ending}")]);
    let port = served.port.to_string();
    let page = folder.path("dist");
    let taken = failure(
        1,
        &["open", "--no-browser", "--page", &page, "--port", &port],
    );
    assert!(
        taken.starts_with(&format!("switchyard: cannot listen on port {port}: ")),
        "{taken}"
    );
}
