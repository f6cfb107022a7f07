//! Where the page lies, for links to it.

/// Some mail and chat programs cut off links with more letters than this.
pub(super) const LONG: usize = 2_000;

/// The page's own address, without what stands behind `#`.
pub(super) fn page_address() -> String {
    let window = web_sys::window();
    let address = window.and_then(|window| window.location().href().ok());
    let address = address.unwrap_or_default();
    address.split('#').next().unwrap_or_default().to_owned()
}
