//! The files of the page: those that are in the program, or a folder's.

use super::native;
use crate::{Failure, input};
use anyhow::anyhow;
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What is in the program, each file compressed (build.rs).
const WITHIN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The page itself.
const INDEX: &str = "index.html";

/// What makes the page an app that is kept for when there is no network (static/offline.js).
const MANIFEST: &str = "<link rel=\"manifest\"";

/// What its head ends with.
const HEAD_END: &str = "</head>";

/// The files of the page, by name. Nothing else can be asked for, so that no path leads out of them.
pub(super) struct Page(BTreeMap<String, Kept>);

/// Where a file is.
enum Kept {
    Packed(&'static [u8]),
    InFolder(PathBuf),
}

/// A file, as it is sent.
pub(super) struct PageFile {
    pub(super) bytes: Vec<u8>,
    /// Whether they are compressed with gzip.
    pub(super) is_packed: bool,
}

impl Page {
    /// The page in the program, or the one in a folder.
    ///
    /// # Errors
    ///
    /// There is none, and how to get one.
    pub(super) fn find(folder: Option<&Path>) -> Result<Self, Failure> {
        let Some(folder) = folder else {
            let files = WITHIN.iter();
            let files = files.map(|&(name, packed)| (name.to_owned(), Kept::Packed(packed)));
            return Self::with_index(files.collect(), || {
                "this program was built without the page: name a folder that has it, as --page dist, which `cargo xtask build` makes. The programs of a release have it within".to_owned()
            });
        };
        let below = input::files_below(folder).map_err(Failure::Input)?;
        let files = below.files.into_iter().filter_map(|path| {
            let name = path.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
            Some((name, Kept::InFolder(path)))
        });
        Self::with_index(files.collect(), || {
            format!(
                "--page: {} has no {INDEX}: name the folder that `cargo xtask build` makes, dist",
                folder.display()
            )
        })
    }

    fn with_index(
        files: BTreeMap<String, Kept>,
        why: impl FnOnce() -> String,
    ) -> Result<Self, Failure> {
        match files.contains_key(INDEX) {
            true => Ok(Self(files)),
            false => Err(Failure::Input(anyhow!(why()))),
        }
    }

    /// The file of a name; "" is the page itself. `packed`: it may come compressed.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn file(&self, name: &str, packed: bool) -> io::Result<Option<PageFile>> {
        let name = if name.is_empty() { INDEX } else { name };
        let Some(kept) = self.0.get(name) else {
            return Ok(None);
        };
        let is_index = name == INDEX;
        Ok(Some(match kept {
            Kept::Packed(bytes) if packed && !is_index => PageFile {
                bytes: bytes.to_vec(),
                is_packed: true,
            },
            Kept::Packed(bytes) => {
                let mut unpacked = Vec::new();
                GzDecoder::new(*bytes).read_to_end(&mut unpacked)?;
                plain(unpacked, is_index)
            }
            Kept::InFolder(path) => plain(std::fs::read(path)?, is_index),
        }))
    }
}

fn plain(bytes: Vec<u8>, is_index: bool) -> PageFile {
    let bytes = if is_index { as_served(bytes) } else { bytes };
    PageFile {
        bytes,
        is_packed: false,
    }
}

/// The page as no app: its address is gone with this program, so that a browser shall keep nothing of it. It says
/// instead that this program carries runs.
fn as_served(index: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&index) else {
        return index;
    };
    let app = text.split_once(MANIFEST);
    let without = app.map(|(before, rest)| {
        let (_, after) = rest.split_once('>').unwrap_or_default();
        (before, after)
    });
    // One that is built for development is no app.
    let head = || text.find(HEAD_END).map(|at| text.split_at(at));
    let Some((before, after)) = without.or_else(head) else {
        return index;
    };
    format!("{before}{}{after}", native::offer()).into_bytes()
}

/// What a file is, by its name. Browsers compile WebAssembly on its way only under its own type, and guess no types here.
pub(super) fn content_type(name: &str) -> &'static str {
    let name = if name.is_empty() { INDEX } else { name };
    match Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str())
    {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        Some("csv") => "text/csv; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::GzEncoder;

    #[test]
    fn what_is_in_the_program_comes_compressed_where_it_may() {
        let packed = |text: &str| -> &'static [u8] {
            let mut packed = Vec::new();
            let mut reader = GzEncoder::new(text.as_bytes(), Compression::default());
            reader.read_to_end(&mut packed).expect("memory");
            packed.leak()
        };
        let files = [("index.html", "<p>"), ("a.js", "1")];
        let files = files.map(|(name, text)| (name.to_owned(), Kept::Packed(packed(text))));
        let page = Page(files.into());
        let file = |name, takes| page.file(name, takes).expect("sound").expect("there");
        assert_eq!(file("a.js", true).bytes, packed("1"));
        assert!(file("a.js", true).is_packed && !file("a.js", false).is_packed);
        assert_eq!(file("a.js", false).bytes, b"1");
        assert_eq!(file("", true).bytes, b"<p>");
        assert!(!file("index.html", true).is_packed);
        assert!(page.file("b.js", true).expect("sound").is_none());
    }

    #[test]
    fn the_page_is_no_app_here() {
        let index = "a<link rel=\"manifest\" href=\"./m.webmanifest\">b";
        let served = format!("a{}b", native::offer());
        assert_eq!(as_served(index.into()), served.as_bytes());
        let served = format!("a{}</head>b", native::offer());
        assert_eq!(as_served(b"a</head>b".to_vec()), served.as_bytes());
        assert_eq!(as_served(b"no page".to_vec()), b"no page");
    }
}
