//! What opens files where a table stored by columns has come.

fn main() {
    switchyard_web::workers::serve_opener();
}
