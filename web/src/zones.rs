//! Time zones by name, as the browser knows them: its `Intl` has the rules of all places, which would be 100 KB and
//! more of the page otherwise. A zone is asked for the changes of its offset once, when it is chosen.

use js_sys::{Array, Function, Object, Reflect, global};
use switchyard::calendar::{Zone, offset_of};
use wasm_bindgen::{JsCast, JsValue};

/// The zone that dates are told in where none is chosen: the clock of a log that says no zone.
pub(crate) const UTC: &str = "UTC";

/// Runs go on after the last submission: changes are known for so many seconds more.
const BEYOND: i64 = 5 * 366 * 86_400;

/// No date of a trace is further from 1970, seconds: `Date` ends at 8.64e12.
const FARTHEST: f64 = 8e12;

/// A zone by its name (`Europe/Berlin`) or its offset (`+05:30`), for a trace that begins at a Unix second and
/// spans so many; `None` where there is no such zone.
pub(crate) fn zone(name: &str, epoch: f64, span: f64) -> Option<Zone> {
    if let Some(offset) = offset_of(name) {
        return Some(Zone::fixed(offset));
    }
    let clocks = Clocks::of(name)?;
    let from = epoch.clamp(-FARTHEST, FARTHEST) as i64;
    let to = from + span.clamp(0.0, FARTHEST - FARTHEST.min(epoch.abs())) as i64;
    Zone::between(from, to.saturating_add(BEYOND), |at| clocks.offset(at))
}

/// Whether there is a zone of this name.
pub(crate) fn is_known(name: &str) -> bool {
    offset_of(name).is_some() || Clocks::of(name).is_some()
}

/// The name of this browser's zone.
pub(crate) fn here() -> Option<String> {
    intl()?;
    let clocks = Clocks::new(&Object::new())?;
    let options = clocks.call("resolvedOptions", None)?;
    let name = Reflect::get(&options, &"timeZone".into()).ok()?;
    name.as_string().filter(|name| is_known(name))
}

/// The names of all zones that this browser lists.
pub(crate) fn all() -> Vec<String> {
    let list = || -> Option<Array> {
        let list: Function = member(&intl()?, "supportedValuesOf")?;
        list.call1(&JsValue::NULL, &"timeZone".into())
            .ok()?
            .dyn_into()
            .ok()
    };
    let names = list().unwrap_or_default();
    names.iter().filter_map(|name| name.as_string()).collect()
}

fn intl() -> Option<JsValue> {
    // There is no `Intl` where there is no browser: tests run without one.
    if cfg!(not(target_arch = "wasm32")) {
        return None;
    }
    Reflect::get(&global(), &"Intl".into()).ok()
}

fn member<T: JsCast>(of: &JsValue, name: &str) -> Option<T> {
    Reflect::get(of, &name.into()).ok()?.dyn_into().ok()
}

/// An `Intl.DateTimeFormat`. By its functions, since js-sys' constructor ends the program where a zone is unknown.
struct Clocks(JsValue);

impl Clocks {
    fn new(options: &Object) -> Option<Self> {
        let make: Function = member(&intl()?, "DateTimeFormat")?;
        let made = Reflect::construct(&make, &Array::of2(&"en-US".into(), options));
        Some(Self(made.ok()?))
    }

    fn of(name: &str) -> Option<Self> {
        intl()?;
        let options = Object::new();
        for (key, value) in [("timeZone", name), ("timeZoneName", "longOffset")] {
            Reflect::set(&options, &key.into(), &value.into()).ok()?;
        }
        Self::new(&options)
    }

    fn call(&self, name: &str, with: Option<f64>) -> Option<JsValue> {
        let function: Function = member(&self.0, name)?;
        match with {
            Some(with) => function.call1(&self.0, &with.into()).ok(),
            None => function.call0(&self.0).ok(),
        }
    }

    /// The offset at a Unix second, which stands behind the date: `3/12/2024, GMT+01:00`.
    fn offset(&self, at: i64) -> Option<i64> {
        let text = self.call("format", Some(at as f64 * 1000.0))?.as_string()?;
        offset_of(text.rsplit([' ', '\u{a0}', '\u{202f}']).next()?)
    }
}
