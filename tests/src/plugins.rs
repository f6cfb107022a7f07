//! Plug-ins of which `golden/plugins.txt` has the specs, modules and all, each behind the built-in policy
//! that it is: what was once built of `examples/plugins`. (`tests/plugins.rs` builds them anew.)

/// Each: the built-in policy, and the spec of the plug-in.
pub fn specs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../golden/plugins.txt").lines();
    lines.filter_map(|line| line.split_once(' '))
}
