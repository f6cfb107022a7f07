//! Runs of the page, carried by the program that serves it: what comes of them, and everything that ends one.

use super::open::{Folder, Served, status};
use super::{json, temporary};
use std::io::Write;
use std::net::TcpStream;
use std::rc::Rc;
use std::time::Duration;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::RunLog;
use switchyard::job::Job;
use switchyard::workload::{Sample, Workload};
use switchyard_workers::bytes::{MOST_ATTACHED, attached_to, framed, jobs_of, message_in};
use switchyard_workers::protocol::{
    AHEAD, PROTOCOL, RunInput, RunReply, RunRequest, WorkerMessage,
};
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

type Said = WorkerMessage<RunReply<Vec<u8>>>;

/// How long something may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(120);

/// The page's end of a run.
struct Run(WebSocket<TcpStream>);

impl Run {
    fn with(served: &Served) -> Self {
        let mut run = Self::silent(served);
        let ready = run.next();
        assert!(matches!(ready, Some(Said::Ready { protocol: PROTOCOL })));
        run
    }

    /// The same, of which nothing has been read.
    fn silent(served: &Served) -> Self {
        let home = format!("127.0.0.1:{}", served.port);
        let address = format!("ws://{home}/{}/native", served.secret);
        let request = ClientRequestBuilder::new(address.parse().expect("an address"))
            .with_header("Origin", format!("http://{home}"));
        let stream = TcpStream::connect(home).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        Self(
            tungstenite::client(request, stream)
                .expect("our own page")
                .0,
        )
    }

    fn ask(&mut self, request: &RunRequest, attached: &[Vec<u8>]) {
        let frame = framed(request, attached.len() as u32).expect("bytes");
        for bytes in std::iter::once(frame).chain(attached.iter().cloned()) {
            let sent = self.0.send(Message::Binary(bytes.into()));
            sent.expect("it listens");
        }
    }

    fn load(&mut self, spec: RunSpec, workload: &Workload) {
        let input = RunInput {
            spec: Rc::new(spec),
            applications: None,
            has_user_weights: false,
        };
        let jobs = jobs_of(workload).expect("bytes");
        self.ask(&RunRequest::Load(input), &[jobs]);
    }

    fn frame(&mut self) -> Option<Vec<u8>> {
        match self.0.read() {
            Ok(Message::Binary(bytes)) => Some(bytes.to_vec()),
            Ok(Message::Close(_)) | Err(_) => None,
            Ok(other) => panic!("{other:?}"),
        }
    }

    /// What is said next; `None` once it is over.
    fn next(&mut self) -> Option<Said> {
        let frame = self.frame()?;
        let mut said = message_in::<Said>(&frame).expect("a message");
        let is_piece = matches!(said, Said::Reply(RunReply::Log { .. }));
        assert_eq!(attached_to(&frame), Ok(u32::from(is_piece)));
        if let Said::Reply(RunReply::Log { piece, .. }) = &mut said {
            piece.cells = self.frame()?;
        }
        Some(said)
    }
}

fn spec(policy: &str, cluster: ClusterSpec) -> RunSpec {
    RunSpec {
        policy: policy.parse().expect("a policy"),
        cluster,
        placement: Default::default(),
        options: Default::default(),
        history: None,
        outages: Default::default(),
        queues: Default::default(),
    }
}

/// Jobs that take turns on few GPUs, millions of times.
fn endless() -> (ClusterSpec, Workload) {
    let jobs = (0..20_000).map(|at| Job::plain(f64::from(at), 1, 1e7));
    let workload = Workload {
        jobs: jobs.collect(),
        ..Workload::default()
    };
    let cluster = ClusterSpec::uniform(4, 8).expect("a cluster");
    (cluster, workload)
}

/// What opens a WebSocket, below the first line of a request.
fn upgrade(host: &str, origin: &str) -> Vec<String> {
    [
        host,
        origin,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    .map(str::to_owned)
    .to_vec()
}

#[test]
fn a_run_for_the_page_comes_to_the_same_log() {
    let folder = Folder::new("native");
    let served = Served::with(&folder, &[]);
    let (_, page) = served.get("");
    let page = String::from_utf8(page).expect("text");
    assert!(page.contains(&format!(
        "name=\"switchyard-native\" content=\"{PROTOCOL}\""
    )));
    let script = temporary("native.rhai");
    std::fs::write(&script, "fn key(job, now) { -job.submit }").expect("the folder is there");
    let sample = Sample::named("lab").expect("a sample");
    let scripted = format!("script:{script}");
    for policy in ["tiresias-las", "mst", &scripted] {
        let told = json(&["run", "sample:lab", "--policy", policy, "--json", "-"]);
        let spec = match policy.strip_prefix("script:") {
            None => spec(policy, sample.cluster_spec()),
            Some(_) => {
                let policy = told["runs"][0]["policy"].as_str().expect("its spec");
                spec(policy, sample.cluster_spec())
            }
        };
        let mut run = Run::with(&served);
        run.load(spec, &sample.workload());
        run.ask(&RunRequest::Simulate, &[]);
        let (mut log, mut pieces) = (RunLog::default(), 0);
        let hash = loop {
            match run.next().expect("it is not over") {
                Said::Reply(RunReply::Log { piece, .. }) => {
                    piece.append_to(&mut log).expect("cells");
                    pieces += 1;
                    run.ask(&RunRequest::Taken { pieces, room: None }, &[]);
                }
                Said::Reply(RunReply::Done {
                    log_hash,
                    is_native,
                    ..
                }) => {
                    assert!(is_native);
                    break log_hash;
                }
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(hash, log.hash(), "{policy}");
        let expected = told["runs"][0]["log_hash"].as_str().expect("a hash");
        assert_eq!(format!("{hash:016x}"), expected, "{policy}");
        // It stays, to be asked.
        run.ask(
            &RunRequest::Lives {
                whom: None,
                among: None,
            },
            &[],
        );
        let lives = run.next();
        assert!(matches!(lives, Some(Said::Reply(RunReply::Lives { .. }))));
    }
    std::fs::remove_file(script).expect("ours");
}

#[test]
fn a_run_waits_for_a_page_that_takes_nothing_in() {
    let folder = Folder::new("native-ahead");
    let served = Served::with(&folder, &[]);
    let (cluster, workload) = endless();
    let mut run = Run::with(&served);
    run.load(spec("tiresias-las", cluster), &workload);
    run.ask(&RunRequest::Simulate, &[]);
    for _ in 0..AHEAD {
        let piece = run.next();
        assert!(matches!(piece, Some(Said::Reply(RunReply::Log { .. }))));
    }
    let round = RunRequest::Round {
        at: switchyard::Time(0.0),
    };
    run.ask(&round, &[]);
    let answer = run.next();
    assert!(matches!(answer, Some(Said::Reply(RunReply::Round { .. }))));
}

#[test]
fn only_our_own_page_opens_a_socket() {
    let folder = Folder::new("native-origins");
    let served = Served::with(&folder, &[]);
    let (host, port, secret) = (served.host(), served.port, &served.secret);
    let own = format!("Origin: http://127.0.0.1:{port}");
    let of_other_port = format!("Origin: http://127.0.0.1:{}", port.wrapping_add(1));
    let socket = format!("Origin: ws://127.0.0.1:{port}");
    let rebound = format!("Host: attacker.example:{port}");
    let first = format!("GET /{secret}/native HTTP/1.1");
    let opens = upgrade(&host, &own);
    let with = |at: usize, line: &str| {
        let mut lines = opens.clone();
        lines[at] = line.to_owned();
        lines
    };
    let cases = [
        (opens.clone(), 101),
        // Of other pages, or of nobody.
        (with(1, "Origin: https://attacker.example"), 403),
        (with(1, "Origin: null"), 403),
        (with(1, &of_other_port), 403),
        (with(1, &socket), 403),
        (with(1, "X: 1"), 400),
        // Under other names.
        (with(0, &rebound), 403),
        (with(0, "Host: 127.0.0.1"), 403),
        // What opens no WebSocket.
        (with(2, "Connection: close"), 400),
        (with(3, "Upgrade: h2c"), 400),
        (with(4, "Sec-WebSocket-Version: 8"), 400),
        (with(5, "Sec-WebSocket-Key: short"), 400),
        (with(5, "Content-Length: 5"), 413),
        ([&opens[..], std::slice::from_ref(&own)].concat(), 400),
        (vec![host.clone(), own.clone()], 400),
    ];
    let ask = |first: &str, lines: &[String]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (head, _) = served.ask(first, &lines);
        status(&head)
    };
    for (lines, expected) in &cases {
        assert_eq!(ask(&first, lines), *expected, "{lines:?}");
    }
    for (first, expected) in [
        (format!("POST /{secret}/native HTTP/1.1"), 405),
        (format!("HEAD /{secret}/native HTTP/1.1"), 400),
        (format!("GET /{secret}/native HTTP/1.0"), 400),
        (format!("GET /{secret}0/native HTTP/1.1"), 404),
        ("GET /native HTTP/1.1".to_owned(), 404),
        (format!("GET /{secret}/ HTTP/1.1"), 200),
    ] {
        assert_eq!(ask(&first, &opens), expected, "{first}");
    }
    served.is_well();
}

#[test]
fn what_is_no_message_ends_the_connection() {
    let folder = Folder::new("native-garbage");
    let served = Served::with(&folder, &[]);
    let ends = |bytes: &[u8], sent: Option<Message>| {
        let mut run = Run::with(&served);
        match sent {
            Some(message) => run.0.send(message).expect("it listens"),
            None => run.0.get_mut().write_all(bytes).expect("it listens"),
        }
        run.next()
    };
    let binary = |bytes: &[u8]| Some(Message::Binary(bytes.to_vec().into()));
    // No frames: without a mask, of an unknown kind, and longer than any may be.
    assert!(ends(b"\x82\x05hello", None).is_none());
    assert!(ends(&[0xff; 64], None).is_none());
    let long = [&[0x82, 0xff][..], &(1_u64 << 40).to_be_bytes(), &[0; 4]].concat();
    assert!(ends(&long, None).is_none());
    let beyond = [
        &[0x82, 0xff][..],
        &((64 << 20) + 1_u64).to_be_bytes(),
        &[0; 4],
    ]
    .concat();
    assert!(ends(&beyond, None).is_none());
    // No messages: text, too short, with more attached than may be.
    assert!(ends(&[], Some(Message::Text("hello".into()))).is_none());
    assert!(ends(&[], binary(b"")).is_none());
    assert!(ends(&[], binary(&(MOST_ATTACHED + 1).to_le_bytes())).is_none());
    assert!(ends(&[], binary(&[255; 40])).is_none());
    // Of no kind that is known, which it tells.
    let told = ends(&[], binary(&[0, 0, 0, 0, 99]));
    assert!(matches!(&told, Some(Said::Crashed(why)) if why.contains("cannot read a message")));
    // Jobs that are none, or more than have come along.
    for jobs in [
        vec![],
        vec![7; 90],
        [&[5, 0, 0, 0][..], &[0xff, 0xff, 0xff, 0xff, 0x0f]].concat(),
    ] {
        let mut run = Run::with(&served);
        let sample = Sample::named("lab").expect("a sample");
        let input = RunInput {
            spec: Rc::new(spec("fifo", sample.cluster_spec())),
            applications: None,
            has_user_weights: false,
        };
        run.ask(&RunRequest::Load(input), &[jobs]);
        let why = run.next();
        assert!(
            matches!(why, Some(Said::Reply(RunReply::Failed { .. }))),
            "{why:?}"
        );
    }
    // Nothing is asked of a run that is not there.
    let mut run = Run::with(&served);
    run.ask(&RunRequest::Simulate, &[]);
    run.ask(
        &RunRequest::Taken {
            pieces: 9,
            room: Some(0),
        },
        &[],
    );
    drop(run);
    served.is_well();
}

/// Threads of a program, as Linux lists them.
#[cfg(target_os = "linux")]
#[test]
fn with_its_connection_a_run_ends_at_once() {
    let folder = Folder::new("native-ends");
    let served = Served::with(&folder, &[]);
    let threads = || {
        let tasks = format!("/proc/{}/task", served.program.id());
        std::fs::read_dir(tasks).expect("it lives").count()
    };
    let wait_for = |count: usize| {
        let begin = std::time::Instant::now();
        while threads() != count {
            assert!(begin.elapsed() < PATIENCE, "{} threads", threads());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(1);
    let (cluster, workload) = endless();
    let ends: [fn(Run); 2] = [
        |mut run| {
            // As browsers end one.
            let _ = run.0.close(None);
            let _ = run.0.flush();
            std::mem::forget(run);
        },
        drop,
    ];
    for end in ends {
        let mut run = Run::with(&served);
        run.load(spec("tiresias-las", cluster.clone()), &workload);
        // It computes without a word, and so does not notice by itself that nobody hears it.
        run.ask(
            &RunRequest::Lives {
                whom: None,
                among: None,
            },
            &[],
        );
        wait_for(3);
        end(run);
        wait_for(1);
    }
    served.is_well();
}

#[test]
fn more_runs_than_a_page_holds_are_left_to_browsers() {
    let folder = Folder::new("native-many");
    let served = Served::with(&folder, &[]);
    let mut runs: Vec<Run> = (0..32).map(|_| Run::with(&served)).collect();
    assert!(Run::silent(&served).next().is_none());
    served.is_well();
    runs.pop();
    // It is gone once the program has noticed.
    let begin = std::time::Instant::now();
    while Run::silent(&served).next().is_none() {
        assert!(begin.elapsed() < PATIENCE);
    }
}
