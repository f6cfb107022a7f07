//! The worker that opens traces.

fn main() {
    switchyard_web::bridge::server::opener::serve();
}
