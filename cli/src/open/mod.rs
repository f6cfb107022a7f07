//! `switchyard open`: the page, served to this computer's own browser, with files opened in it.
//!
//! The page fetches the files from this program as it fetches traces by their address, and what is asked of it stands in
//! that address, too: it is a link like any other. This program also carries the page's runs ([`native`]).

mod native;
mod page;
mod server;

use crate::settings::Flags;
use crate::{Failure, input, output, script};
use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use native::Native;
use page::Page;
use server::{Answer, Body, Outcome, Request, Server};
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use switchyard::Resource;
use switchyard::policies::PolicySpec;
use switchyard::workload::{SAMPLES, Sample};
use switchyard_app::Permalink;
use switchyard_app::study::StudyError;

/// What the page fetches at most (static/remote.js).
const MOST_BYTES: u64 = 512_000_000;

/// Where the files stand, below the page.
const TRACE: &str = "trace/";

#[derive(Args)]
#[command(
    after_help = "The page shows the files and asks nobody else for anything; Ctrl+C ends it. Only this computer
reaches it, by an address with a secret in it: whoever has the address reads the files.

Examples:
  switchyard open trace.csv
  switchyard open jobs.csv nodes.csv --policy fifo --policy 'tiresias-las[queues=2]'
  switchyard open sample:lab --cluster 8x4
  switchyard open trace.csv --page dist --no-browser --port 8000"
)]
pub(crate) struct Arguments {
    /// What is opened: files, sample:NAME, or - (standard input) [default: the page's first sample]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    /// Listen on this port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address, and start no browser
    #[arg(long)]
    no_browser: bool,
    /// The folder of the built page, as `cargo xtask build` makes it [default: the page in this program]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    page: Option<PathBuf>,
    /// A policy, such as 'tiresias-las[queues=2]', script:FILE or plugin:FILE; may be repeated
    ///
    /// By default those of the experiment, or fifo and tiresias-las.
    #[arg(long = "policy", value_name = "SPEC", value_hint = ValueHint::Other, help_heading = "Schedulers and cluster")]
    policies: Vec<String>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: Flags,
}

/// What the page is to open.
enum Offer {
    /// Nothing, or a sample, which it has itself.
    Nothing,
    /// One file.
    File(PathBuf),
    /// Several, each with a name of its own: they travel as one archive.
    Files(Vec<(String, PathBuf)>),
    /// What standard input had.
    Bytes(Vec<u8>),
}

/// Serves the page until the program is stopped.
pub(crate) fn open(arguments: &Arguments) -> Result<(), Failure> {
    let mut link = Permalink::versioned();
    let (name, offer) = offered(&arguments.trace, &mut link)?;
    let page = Page::find(arguments.page.as_deref())?;
    let unable = || format!("cannot listen on port {}", arguments.port);
    let server = Server::listen(arguments.port)
        .with_context(unable)
        .map_err(Failure::Run)?;
    let home = server.address();
    if !matches!(offer, Offer::Nothing) {
        link.add("url", &format!("{home}{TRACE}{name}"));
    }
    ask(arguments, &mut link)?;
    let address = match link == Permalink::versioned() {
        true => home,
        false => format!("{home}#{link}"),
    };
    output::print(&format!("Switchyard is at {address}\nCtrl+C ends it."))?;
    if !arguments.no_browser && has_screen() && open::that_detached(&address).is_err() {
        // Where nobody listens nothing is lost: the address is printed.
        let _ = writeln!(
            io::stderr(),
            "no browser could be started: open the address in one"
        );
    }
    let native = Arc::new(Native::here());
    server.serve(move |request| {
        if request.path == native::PATH {
            let native = Arc::clone(&native);
            let talk = move |stream| native.carry(stream);
            return Ok(Some(Outcome::Talk(Box::new(talk))));
        }
        let answer = answer(request, &page, &name, &offer)?;
        Ok(answer.map(Outcome::File))
    });
    Ok(())
}

/// What the page is to open, and the name of that.
fn offered(paths: &[PathBuf], link: &mut Permalink) -> Result<(String, Offer), Failure> {
    let refused = |why: String| Err(Failure::Input(anyhow!(why)));
    let (mut files, mut bytes) = (Vec::new(), 0);
    for path in paths {
        let name = path.display();
        if let Some(sample) = input::sample(path) {
            if Sample::named(sample).is_none() {
                let valid: Vec<&str> = SAMPLES.iter().map(|sample| sample.name).collect();
                let (name, valid) = (sample.to_owned(), valid.join(", "));
                return Err(StudyError::UnknownSample { name, valid }.into());
            }
            if paths.len() > 1 {
                return refused(format!("{name} is opened alone: the page has it already"));
            }
            link.add("sample", sample);
            return Ok((String::new(), Offer::Nothing));
        }
        if path == Path::new(input::STDIN) {
            if paths.len() > 1 {
                return refused(
                    "standard input (-) is opened alone: name files, or pipe one".to_owned(),
                );
            }
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.context("cannot read standard input")
                .map_err(Failure::Input)?;
            return Ok((in_address(&input::called(path)), Offer::Bytes(bytes)));
        }
        // It is opened once more for each who asks.
        let found = File::open(path).and_then(|file| file.metadata());
        let found = found
            .with_context(|| format!("cannot read {name}"))
            .map_err(Failure::Input)?;
        if !found.is_file() {
            return refused(format!(
                "{name} is no file: name files; what comes through a pipe is opened as -"
            ));
        }
        bytes += found.len();
        if bytes > MOST_BYTES {
            return refused(format!(
                "up to {name} there are more than {} MB, which the page does not fetch: open it without a file, and drop the files on it",
                MOST_BYTES / 1_000_000
            ));
        }
        files.push((apart(input::name_of(path), &files), path.clone()));
    }
    Ok(match &files[..] {
        [] => (String::new(), Offer::Nothing),
        [(name, path)] => (in_address(name), Offer::File(path.clone())),
        [(first, _), rest @ ..] => (format!("{first}+{}.tar", rest.len()), Offer::Files(files)),
    })
}

/// A file's name as it stands in an address, where the page reads it: what would be encoded there is a dash.
fn in_address(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || ['-', '_', '.', '+', '@', '='].contains(&c);
    let plain = name.chars().map(|c| if is_plain(c) { c } else { '-' });
    plain.collect()
}

/// A name that none of the files has: the page tells them apart by it.
fn apart(name: String, files: &[(String, PathBuf)]) -> String {
    let is_free = |name: &String| !files.iter().any(|(other, _)| other == name);
    let numbered = (2..).map(|at| format!("{at}-{name}"));
    std::iter::once(name.clone())
        .chain(numbered)
        .find(is_free)
        .unwrap_or(name)
}

/// Adds what is asked for to the link.
fn ask(arguments: &Arguments, link: &mut Permalink) -> Result<(), Failure> {
    if let Some(text) = arguments.cluster.text() {
        let cluster = input::cluster(text, Resource::default())?;
        link.add("cluster", &cluster.to_string());
    }
    for (setting, value) in arguments.settings.checked()? {
        link.add(setting.link, value);
    }
    for text in &arguments.policies {
        let policy: PolicySpec = script::policy(text)?.parse().map_err(StudyError::from)?;
        link.add("run", &policy.to_string());
    }
    Ok(())
}

/// Whether a browser would be seen.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    let screen =
        cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    screen && !is_set("CI") && io::stdout().is_terminal()
}

/// What stands at an address: a file of the page, or what it is to open.
fn answer(request: &Request, page: &Page, name: &str, offer: &Offer) -> io::Result<Option<Answer>> {
    if let Some(asked) = request.path.strip_prefix(TRACE) {
        let body = match offer {
            _ if asked != name => return Ok(None),
            Offer::Nothing => return Ok(None),
            Offer::File(path) => {
                let file = File::open(path)?;
                let length = file.metadata()?.len();
                Body::File(file, length)
            }
            Offer::Files(files) => {
                let files = files.clone();
                Body::Made(Box::new(move |out| archive(&files, out)))
            }
            Offer::Bytes(bytes) => Body::Bytes(bytes.clone()),
        };
        return Ok(Some(Answer {
            content_type: "application/octet-stream",
            is_gzip: false,
            body,
        }));
    }
    let file = page.file(&request.path, request.takes_gzip)?;
    Ok(file.map(|file| Answer {
        content_type: page::content_type(&request.path),
        is_gzip: file.is_packed,
        body: Body::Bytes(file.bytes),
    }))
}

/// Files as one: the page opens all that an archive holds together, as it does files that are chosen together.
fn archive(files: &[(String, PathBuf)], out: &mut dyn Write) -> io::Result<()> {
    let mut archive = tar::Builder::new(out);
    for (name, path) in files {
        archive.append_file(name, &mut File::open(path)?)?;
    }
    archive.finish()
}
