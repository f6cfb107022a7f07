//! A worker: opens traces or carries one run.

fn main() {
    switchyard_web::bridge::server::serve();
}
