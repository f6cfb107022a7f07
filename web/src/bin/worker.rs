//! What runs in workers.

fn main() {
    switchyard_web::workers::serve();
}
