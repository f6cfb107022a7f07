//! Where a file lies, among others or in archives, and what is wrong with what it was packed in.

use crate::order;

/// Where a file lies.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// For messages: the outermost file's name, and the member's path after a slash.
    pub(crate) file: String,
    /// The path within the archive; `None` for a file that lies in none.
    pub(crate) member: Option<String>,
    pub(crate) depth: u32,
    /// Whether it lies at the very path that was asked for.
    pub(crate) exact: bool,
}

impl Place {
    /// A file that lies in no archive.
    pub(crate) fn outermost(name: &str) -> Self {
        Self {
            file: name.to_owned(),
            member: None,
            depth: 0,
            exact: false,
        }
    }

    /// A member of the archive that lies here.
    pub(crate) fn member(&self, name: &str, exact: bool) -> Self {
        Self {
            file: format!("{}/{}", self.file, name),
            member: Some(self.path(name)),
            depth: self.depth + 1,
            exact: self.exact || exact,
        }
    }

    /// Its own path: within the archive, or the file's name.
    pub(crate) fn own_path(&self) -> &str {
        self.member.as_deref().unwrap_or(&self.file)
    }

    /// The path of a member of the archive that lies here.
    pub(crate) fn path(&self, name: &str) -> String {
        match &self.member {
            Some(outer) => format!("{outer}/{name}"),
            None => name.to_owned(),
        }
    }

    /// What lies within a compressed file that lies here.
    pub(crate) fn inner(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

/// What is wrong with a container whose content is of use all the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flaws {
    /// It ends early.
    pub(crate) truncated: bool,
    /// Bytes after its end.
    pub(crate) trailing: u32,
}

/// A path without its folders.
pub(crate) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without folders and endings: `a/cluster01.csv.gz` is `cluster01`.
pub(crate) fn stem(path: &str) -> &str {
    let mut name = base(path);
    while let Some((front, ending)) = name.rsplit_once('.') {
        let known = [
            "csv", "tsv", "txt", "json", "swf", "gz", "tgz", "zst", "tar", "zip", "trace",
            "parquet", "arrow", "feather",
        ];
        if front.is_empty() || !known.iter().any(|k| k.eq_ignore_ascii_case(ending)) {
            break;
        }
        name = front;
    }
    name
}

/// Whether a name is that of an archive.
pub(crate) fn is_archive(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    [".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// What archives hold beside data: licences, read-me files, what file managers leave behind.
pub(crate) fn is_beside_the_point(path: &str) -> bool {
    if path.ends_with('/') || path.starts_with("__MACOSX/") {
        return true;
    }
    let name = base(path).to_ascii_lowercase();
    let starts = ["license", "licence", "readme", "copying", "notice", "."];
    let ends = [
        ".md", ".pdf", ".png", ".jpg", ".py", ".ipynb", ".sh", ".html",
    ];
    starts.iter().any(|s| name.starts_with(s)) || ends.iter().any(|e| name.ends_with(e))
}

/// The indices of names in the names' order.
pub(crate) fn in_order(names: &[&str]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order::sort_by_key(&mut order, |&i| names.get(i));
    order
}
