//! Where the page lies, for links to it, and what its address asks for before the `#`.

/// Some mail and chat programs cut off links with more letters than this.
pub(super) const LONG: usize = 2_000;

/// The page's own address, without what stands behind `#`.
pub(super) fn page_address() -> String {
    let window = web_sys::window();
    let address = window.and_then(|window| window.location().href().ok());
    let address = address.unwrap_or_default();
    address.split('#').next().unwrap_or_default().to_owned()
}

/// What the address asks for under this name.
pub(super) fn asked(name: &str) -> Option<String> {
    let search = web_sys::window()?.location().search().ok()?;
    let mut pairs = search.trim_start_matches('?').split('&');
    pairs.find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then(|| value.to_owned())
    })
}
