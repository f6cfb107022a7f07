//! Tiresias' CSV, which several simulators read: `job_id,num_gpu,submit_time,iterations,`
//! `model_name,duration,interval`, seconds.
//!
//! Source: <https://github.com/SymbioticLab/Tiresias>.

use super::{cell, name};
use crate::workload::Workload;
use std::fmt::{Result, Write};

/// Writes a workload. An iteration is taken for a second; the model is `unknown` where none is
/// named; tenants are lost.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn tiresias(workload: &Workload, out: &mut impl Write) -> Result {
    writeln!(
        out,
        "job_id,num_gpu,submit_time,iterations,model_name,duration,interval"
    )?;
    let mut before = 0.0;
    for job in &workload.jobs {
        let (submit, duration) = (job.submit.seconds(), job.work.seconds());
        let model = match name(&workload.models, job.model) {
            "" => "unknown",
            model => model,
        };
        let (iterations, interval) = (libm::ceil(duration), submit - before);
        before = submit;
        writeln!(
            out,
            "{},{},{submit},{iterations},{},{duration},{interval}",
            cell(&job.name),
            job.gpus,
            cell(model)
        )?;
    }
    Ok(())
}
