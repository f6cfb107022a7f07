//! The worker that carries one run.

fn main() {
    switchyard_web::bridge::server::runner::serve();
}
