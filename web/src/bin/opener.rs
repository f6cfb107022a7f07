//! The worker that opens traces.

fn main() {
    switchyard_web::workers::opener::serve();
}
