//! What a job has attained, and how that comes about.

use super::Fact;
use crate::job::JobId;
use switchyard_engine::View;
use switchyard_explain::{Operand, Unit};

/// So much may a product differ from what was added up stay by stay.
const ROUNDED: f64 = 1e-9;

/// GPUs × time so far.
pub(super) fn attained_service(view: &View<'_>, job: JobId) -> Fact {
    let attained = view.attained(job);
    let fact = Fact::number("attained service", attained, 0, Unit::GpuSeconds);
    with_product(
        fact,
        view,
        job,
        (attained, view.held_seconds(job)),
        "its time on them",
    )
}

/// A fact of so much service and its time on GPUs: with their product, where the job always held what it asks for.
pub(super) fn with_product(
    fact: Fact,
    view: &View<'_>,
    job: JobId,
    (service, seconds): (f64, f64),
    time: &'static str,
) -> Fact {
    let gpus = f64::from(view.gpus(job));
    if (gpus * seconds - service).abs() > ROUNDED * service {
        return fact;
    }
    let operands = [
        Operand::new("its GPUs", gpus, Unit::Gpus),
        Operand::new(time, seconds, Unit::Seconds),
    ];
    fact.by("{0} × {1}", operands, (service, Unit::GpuSeconds))
}
