//! What runs in workers whose run is a script.

fn main() {
    switchyard_web::workers::serve();
}
