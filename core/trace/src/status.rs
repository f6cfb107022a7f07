//! The words with which traces say how a job ended.

use crate::job::Status;

/// The longest word that means something.
const LONGEST: usize = "out_of_memory".len();

/// What a status word means; upper and lower case alike.
pub(crate) fn status(word: &str) -> Status {
    // "CANCELLED by 1000": who did it does not matter.
    let word = word.bytes().take_while(|byte| *byte != b' ');
    let (mut lower, mut len) = ([0; LONGEST], 0);
    for byte in word {
        let Some(place) = lower.get_mut(len) else {
            return Status::Unknown;
        };
        *place = byte.to_ascii_lowercase();
        len += 1;
    }
    match lower.get(..len).unwrap_or(&[]) {
        b"completed" | b"pass" | b"succeeded" | b"terminated" | b"1" => Status::Completed,
        b"cancelled" | b"canceled" | b"killed" | b"5" => Status::Cancelled,
        b"failed" | b"timeout" | b"out_of_memory" | b"deadline" | b"0" => Status::Failed,
        b"node_fail" => Status::NodeFailed,
        b"running" | b"pending" | b"waiting" | b"preempted" | b"suspended" => Status::Running,
        _ => Status::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_published_traces() {
        for (word, meaning) in [
            ("Pass", Status::Completed),
            ("COMPLETED", Status::Completed),
            ("Succeeded", Status::Completed),
            ("Terminated", Status::Completed),
            ("1", Status::Completed),
            ("Killed", Status::Cancelled),
            ("CANCELLED", Status::Cancelled),
            ("CANCELED", Status::Cancelled),
            ("CANCELLED by 1000", Status::Cancelled),
            ("5", Status::Cancelled),
            ("Failed", Status::Failed),
            ("TIMEOUT", Status::Failed),
            ("OUT_OF_MEMORY", Status::Failed),
            ("DEADLINE", Status::Failed),
            ("NODE_FAIL", Status::NodeFailed),
            ("0", Status::Failed),
            ("Running", Status::Running),
            ("Pending", Status::Running),
            ("Waiting", Status::Running),
            ("PREEMPTED", Status::Running),
            ("SUSPENDED", Status::Running),
            ("", Status::Unknown),
            ("-1", Status::Unknown),
        ] {
            assert_eq!(status(word), meaning, "{word}");
        }
    }
}
