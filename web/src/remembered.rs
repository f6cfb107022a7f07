//! What a person once said, in the browser's local storage: of a table's columns, for the next table
//! with the same header, as the text of a `--map`; that opened files are not to be held; and that the first
//! words have been read. By hand:
//! gloo-storage stops the program where a browser has no storage (frames in a sandbox), and writes
//! JSON where earlier pages have written text.

use switchyard::trace::TableHead;
use web_sys::Storage;

/// Is there if opened files are not to be held.
const DECLINED: &str = "switchyard holds nothing";

/// Is there once somebody has closed the first words.
const READ: &str = "switchyard introduction closed";

/// What was said of the columns of a table with this header.
pub fn columns(head: &TableHead) -> Option<String> {
    storage()?.get_item(&key(head)?).ok()?
}

/// Remembers what was said.
pub fn remember(head: &TableHead, mapping: &str) {
    if let (Some(storage), Some(key)) = (storage(), key(head)) {
        // Where there is no room, one is asked again.
        let _ = storage.set_item(&key, mapping);
    }
}

/// Whether opened files may be held for their tab.
pub fn may_hold() -> bool {
    !is_noted(DECLINED)
}

/// Remembers whether they may.
pub fn allow_holding(may_hold: bool) {
    let Some(storage) = storage() else { return };
    // Where there is no room, it is said again.
    let _ = match may_hold {
        true => storage.remove_item(DECLINED),
        false => storage.set_item(DECLINED, "yes"),
    };
}

/// Whether the introduction is new to this visitor.
pub fn wants_intro() -> bool {
    !is_noted(READ)
}

/// Remembers that they have been closed.
pub fn close_intro() {
    if let Some(storage) = storage() {
        // Where there is no room, they are there again.
        let _ = storage.set_item(READ, "yes");
    }
}

/// Where a browser has no storage, nothing is.
fn is_noted(key: &str) -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(key), Ok(Some(_))))
}

/// A table without names of columns is like no other.
fn key(head: &TableHead) -> Option<String> {
    let named = head.columns.first().is_some_and(|name| name != "#1");
    let names = head.columns.join(",").to_ascii_lowercase();
    named.then(|| format!("switchyard columns {names}"))
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_alike_but_for_case() {
        let head = |names: &[&str]| TableHead {
            columns: names.iter().map(ToString::to_string).collect(),
            ..TableHead::default()
        };
        assert_eq!(key(&head(&["Job", "GPUs"])), key(&head(&["job", "gpus"])));
        assert_ne!(key(&head(&["job", "gpus"])), key(&head(&["gpus", "job"])));
        assert_eq!(key(&head(&["#1", "#2"])), None);
    }
}
