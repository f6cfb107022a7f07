//! The engine for Python: `switchyard._engine`, of which the package `switchyard` is made.
//!
//! Options come as JSON (their names are those of files and of the command line, `switchyard_app::options`),
//! and figures go as the JSON that the command line prints; columns are Arrow's ([`table`]), of which NumPy,
//! pandas and polars take what they need without copying. While the engine works Python goes on
//! ([`watch`]), and an interrupt ends the work.

mod edited;
mod environments;
mod exchange;
mod explain;
mod functions;
mod runs;
mod score;
mod start;
mod sweeps;
mod table;
mod telling;
mod trace;
mod watch;
mod why;

use exchange::{InputError, RunError, SwitchyardError, asked, json, options, refused};
use pyo3::prelude::*;

#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::environments::picking::{Picking, scores};
    #[pymodule_export]
    use crate::environments::placing::Placing;
    #[pymodule_export]
    use crate::explain::explain;
    #[pymodule_export]
    use crate::functions::{Job, Jobs, View};
    #[pymodule_export]
    use crate::runs::run;
    #[pymodule_export]
    use crate::score::score;
    #[pymodule_export]
    use crate::start::start;
    #[pymodule_export]
    use crate::sweeps::{Sweep, SweptTrace, run_points};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::trace::{Trace, inspect, open, sample};
    #[pymodule_export]
    use crate::why::why;
    #[pymodule_export]
    use crate::{InputError, RunError, SwitchyardError};
    use pyo3::prelude::*;
    use std::path::Path;
    use switchyard::policies::{PolicySpec, SpecError, spec_of_code};
    use switchyard_app::{Metric, described, format};
    use switchyard_sweep::policy_files;

    /// A policy as results spell it.
    #[pyfunction]
    fn canonical(policy: &str) -> PyResult<String> {
        let spec: Result<PolicySpec, SpecError> = of_files(policy)?.parse();
        Ok(spec.map_err(crate::refused)?.to_string())
    }

    /// A policy's spec, where its text may name a file: `script:FILE`, `plugin:FILE`.
    #[pyfunction]
    fn of_files(policy: &str) -> PyResult<String> {
        let spec = policy_files::spec(policy, Path::new("")).map_err(crate::refused)?;
        Ok(spec.into_owned())
    }

    /// The spec of a script's text, or of a plug-in's module, with its name and other parameters.
    #[pyfunction]
    fn of_code(code: &[u8], name: &str, parameters: Vec<(String, String)>) -> PyResult<String> {
        let spec = spec_of_code(code, name).map_err(crate::refused)?;
        let given: Vec<(&str, &str)> = parameters.iter().map(|(key, of)| (&**key, &**of)).collect();
        Ok(spec.with_all(&given).map_err(crate::refused)?.to_string())
    }

    /// Every policy, JSON.
    #[pyfunction]
    fn policies() -> PyResult<String> {
        crate::json(&described::policies())
    }

    /// Every setting, JSON.
    #[pyfunction]
    fn settings() -> PyResult<String> {
        crate::json(&described::settings())
    }

    /// Every sample, JSON.
    #[pyfunction]
    fn samples() -> PyResult<String> {
        crate::json(&described::samples())
    }

    /// Every placement, JSON.
    #[pyfunction]
    fn placements() -> PyResult<String> {
        crate::json(&described::placements())
    }

    /// A value of a metric with its unit, as page and command line word it.
    #[pyfunction]
    fn in_words(metric: &str, value: Option<f64>) -> PyResult<String> {
        let named = Metric::named(metric)
            .ok_or_else(|| crate::refused(format!("no metric is called '{metric}'")))?;
        Ok(format::metric(named, value.unwrap_or(f64::NAN)))
    }

    /// A link with packed jobs within, which says all else that another does.
    #[pyfunction]
    fn packed_link(link: &str, packed: &str) -> String {
        use switchyard_app::Permalink;
        let link = link.rsplit('#').next().unwrap_or_default();
        Permalink::with_source(link, Permalink::EXPERIMENT, packed).into_string()
    }

    /// Every metric of a run, JSON.
    #[pyfunction]
    fn metrics() -> PyResult<String> {
        crate::json(&described::metrics())
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        use crate::environments::picking::MOST_SLOTS;
        use switchyard_app::challenges::{MOST_DRAW, MOST_WORKLOADS, WORKLOADS};
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("MOST_SLOTS", MOST_SLOTS)?;
        module.add("MOST_DRAW", MOST_DRAW)?;
        module.add("MOST_WORKLOADS", MOST_WORKLOADS)?;
        module.add("WORKLOADS", WORKLOADS)
    }
}
