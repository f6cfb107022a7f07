//! The worker that carries one run.

fn main() {
    switchyard_web::workers::runner::serve();
}
