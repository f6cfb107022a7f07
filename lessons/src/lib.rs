//! Lessons, from Markdown to pages. In: `docs/lessons/`, `docs/field.md` and `docs/article/`; out: `dist/lessons/` and
//! `dist/article/`, whose text stands in the HTML, with a still of every figure, so that it can be read
//! without scripts and on paper.
//!
//! - `text` reads a file: what it says of itself, its steps, and in them the blocks that are no prose
//! - `figure` is what a block shows: jobs, cluster, schedulers, and the runs of these by the engine
//! - `formula` is how sentences and goals speak of such runs: `{{jct_mean(fifo)}}`
//! - `arithmetic` says how such a number comes about: formula, values, source
//! - `numbers` makes buttons of them, which open that
//! - `moments` are what is said of a figure's moments, which one scrolls over
//! - `still` draws a figure's opening moment, `picture` a page where others link to it, `page` writes the HTML
//!
//! A number in a sentence is computed when the page is made, and what a sentence claims stands in a
//! block `claim` below it: a page whose claim does not hold is not made (`tests/` make all of them).

mod arithmetic;
mod colours;
mod figure;
mod formula;
mod moments;
mod numbers;
mod page;
mod picture;
mod run;
mod still;
mod text;

pub use text::Text;

use anyhow::{Context, Result, ensure};
use page::Place;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands beside the pages, from `static/lessons/`.
const BESIDE: [&str; 5] = [
    "lesson.css",
    "lesson.js",
    "moments.js",
    "progress.js",
    "certificate.js",
];

/// The files of a folder whose names end so, in the order of their names.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|of| of == ending) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a text and all that it computes.
///
/// # Errors
///
/// Something in it is wrong, or a claim of it does not hold: which file, which step, and what.
pub fn read(path: &Path) -> Result<Text> {
    let source =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    Text::read(&source, folder).with_context(|| path.display().to_string())
}

/// The lessons of `docs`, in order: files whose names begin with their number.
///
/// # Errors
///
/// One cannot be read.
pub fn lessons(docs: &Path) -> Result<Vec<(String, Text)>> {
    let mut lessons = Vec::new();
    for path in files(&docs.join("lessons"), "md")? {
        let name = name_of(&path);
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            lessons.push((name, read(&path)?));
        }
    }
    ensure!(!lessons.is_empty(), "{} has no lessons", docs.display());
    Ok(lessons)
}

/// The page behind the last lesson: its name, and its text, which is a document.
///
/// # Errors
///
/// It cannot be read.
pub fn field(docs: &Path) -> Result<(String, Text)> {
    let path = docs.join("field.md");
    let source =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = Text::of_document(&source, docs).with_context(|| path.display().to_string())?;
    Ok((name_of(&path), text))
}

/// The address of the site that pages will lie on, with `/` at its end.
///
/// # Errors
///
/// It is no address.
pub fn site(address: &str) -> Result<String> {
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let is_one = ["http", "https"].contains(&scheme)
        && !rest.is_empty()
        && !rest.contains(['?', '#', ' ', '"', '<']);
    ensure!(
        is_one,
        "'{address}' is no address of a site: write it as https://example.org/switchyard/"
    );
    Ok(format!("{}/", address.trim_end_matches('/')))
}

/// Makes all pages of `docs` in `dist`; which ones. `at`: the address of the site ([`site`]), where it is known:
/// then pages have pictures, which other sites show, and the page beside them (`index.html`) names the front page's.
///
/// # Errors
///
/// A text is wrong, or a file cannot be read or written.
pub fn write(docs: &Path, dist: &Path, at: Option<&str>) -> Result<Vec<PathBuf>> {
    let lessons = lessons(docs)?;
    let field = field(docs)?;
    let mut made = Vec::new();
    let folder = dist.join("lessons");
    clear(&folder, at)?;
    let place = |name| Place {
        site: at,
        folder: "lessons",
        name,
    };
    for (at, (name, text)) in lessons.iter().enumerate() {
        let next = lessons.get(at + 1).unwrap_or(&field);
        let place = place(name);
        let html = page::lesson(text, &place, at + 1, lessons.len(), next);
        made.push(page_with_stills(&folder, &place, text, &html)?);
    }
    let (name, text) = &field;
    let html = page::document(text, &place(name));
    made.push(page_with_stills(&folder, &place(name), text, &html)?);
    let front = docs.join("lessons/index.md");
    if front.exists() {
        let front = read(&front)?;
        let place = place("index");
        let html = page::front(&front, &place, &lessons, &field);
        made.push(page_with_stills(&folder, &place, &front, &html)?);
        let page = dist.join("index.html");
        if let (Some(site), Ok(html)) = (at, fs::read_to_string(&page))
            && let Some(html) = page::with_picture(&html, site, &front)
        {
            store(&page, html)?;
        }
    }
    let certificate = read(&docs.join("lessons/certificate.md"))?;
    let here = place("certificate");
    let html = page::certificate(&certificate, &here, &lessons);
    made.push(page_with_stills(&folder, &here, &certificate, &html)?);
    let teachers = read(&docs.join("lessons/teachers.md"))?;
    let here = place("teachers");
    let html = page::teachers(&teachers, &here, &lessons);
    made.push(page_with_stills(&folder, &here, &teachers, &html)?);
    let exercises = read(&docs.join("lessons/exercises.md"))?;
    let here = place("exercises");
    let html = page::document(&exercises, &here);
    made.push(page_with_stills(&folder, &here, &exercises, &html)?);
    copy(&files(&docs.join("lessons"), "csv")?, &folder)?;
    let beside = docs.join("../static/lessons");
    copy(&BESIDE.map(|name| beside.join(name)), &folder)?;

    let article = docs.join("article");
    if article.join("index.md").exists() {
        let folder = dist.join("article");
        clear(&folder, at)?;
        let text = read(&article.join("index.md"))?;
        let place = Place {
            folder: "article",
            ..place("index")
        };
        let html = page::article(&text, &place);
        made.push(page_with_stills(&folder, &place, &text, &html)?);
        copy(&files(&article, "csv")?, &folder)?;
    }
    Ok(made)
}

/// Writes a page, the stills of its figures, and its picture where it has an address.
fn page_with_stills(folder: &Path, place: &Place<'_>, text: &Text, html: &str) -> Result<PathBuf> {
    let name = place.name;
    let path = folder.join(format!("{name}.html"));
    store(&path, html)?;
    for figure in text.figures() {
        if let Some(svg) = &figure.still {
            store(&folder.join(page::still_of(name, figure.number)), svg)?;
        }
    }
    if place.site.is_some() {
        let still = text.figures().find_map(|figure| figure.still.as_deref());
        let picture = picture::of(text.about("title"), text.about("question"), still);
        let picture = picture.with_context(|| format!("the picture of {name}"))?;
        store(&folder.join(page::picture_of(name)), picture)?;
    }
    Ok(path)
}

fn clear(folder: &Path, site: Option<&str>) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let pictures = site.map(|_| "pictures");
    for name in ["stills"].into_iter().chain(pictures) {
        let within = folder.join(name);
        fs::create_dir_all(&within)
            .with_context(|| format!("cannot create {}", within.display()))?;
    }
    Ok(())
}

fn copy(paths: &[PathBuf], folder: &Path) -> Result<()> {
    for path in paths {
        let to = folder.join(path.file_name().context("a file without a name")?);
        fs::copy(path, &to).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(())
}

fn store(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}
