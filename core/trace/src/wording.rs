//! How numbers and cells stand in messages.

/// A number as people write it: `125,303`.
pub(crate) fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A cell or name as it is quoted in a message: one line, at most 40 characters.
pub fn shorten(text: &str) -> String {
    shorten_to(text, 40)
}

/// One line of at most `limit` characters.
pub(crate) fn shorten_to(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == limit {
            shown.push('…');
            break;
        }
        shown.push(if c.is_control() { ' ' } else { c });
    }
    shown
}
