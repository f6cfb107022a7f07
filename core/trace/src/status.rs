//! The words with which traces say how a job ended.

use super::rows::is_any_of;
use crate::job::Status;

/// What a status word means; upper and lower case alike.
pub(crate) fn status(word: &str) -> Status {
    // "CANCELLED by 1000": who did it does not matter.
    let word = word.split(' ').next().unwrap_or("");
    let any = |words| is_any_of(word, words);
    if any(&["completed", "pass", "succeeded", "terminated", "1"]) {
        Status::Completed
    } else if any(&["cancelled", "canceled", "killed", "5"]) {
        Status::Cancelled
    } else if any(&["failed", "timeout", "out_of_memory", "deadline", "0"]) {
        Status::Failed
    } else if any(&["node_fail"]) {
        Status::NodeFailed
    } else if any(&["running", "pending", "waiting", "preempted", "suspended"]) {
        Status::Running
    } else {
        Status::Unknown
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
