//! What a plug-in wants, read from its memory: a count, and so many actions of 24 bytes, little-endian
//! (`docs/plugins.md`). Nothing it writes is trusted.

use super::PluginError;

/// Bytes of an action: four numbers of 4 bytes and one of 8.
const ACTION: u64 = 24;

/// What a plug-in wants of a job, which it names by its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    /// Run it, laid by the placement; once more: somewhere else.
    Start { row: u32 },
    /// Run it with so many GPUs of its gang on this node; those of one job follow one another.
    StartOn { row: u32, node: u32, gpus: u32 },
    /// Take its GPUs away.
    Stop { row: u32 },
    /// Ask again at this time, in seconds, if by then nothing has changed about it.
    Alarm { row: u32, at: f64 },
}

/// How many actions make sense at most for so many jobs, on so many GPUs: each is stopped, started and
/// has an alarm, and those that say where have at least a GPU each.
pub(super) fn most(rows: u32, gpus: u32) -> u32 {
    rows.saturating_mul(3).saturating_add(gpus)
}

/// Reads the actions at an address.
pub(super) fn read(
    memory: &[u8],
    at: u32,
    most: u32,
    actions: &mut Vec<Action>,
) -> Result<(), PluginError> {
    actions.clear();
    let count = number(slice(memory, "plan", at, 8)?, 0);
    if count > most {
        let count = count as i32;
        return Err(PluginError::TooManyActions { count, most });
    }
    let all = slice(memory, "plan", at, 8 + ACTION * u64::from(count))?;
    for (index, bytes) in (0u32..).zip(all[8..].as_chunks::<{ ACTION as usize }>().0) {
        let row = number(bytes, 4);
        let (node, gpus) = (number(bytes, 8), number(bytes, 12));
        actions.push(match number(bytes, 0) {
            1 => Action::Start { row },
            2 => Action::StartOn { row, node, gpus },
            3 => Action::Stop { row },
            4 => Action::Alarm {
                row,
                at: float(bytes, 16),
            },
            other => {
                let why = format!("the number {}, which is none", other as i32);
                return Err(PluginError::Action { index, why });
            }
        });
    }
    Ok(())
}

/// So many bytes at an address that a function has returned.
pub(super) fn slice<'m>(
    memory: &'m [u8],
    function: &'static str,
    at: u32,
    bytes: u64,
) -> Result<&'m [u8], PluginError> {
    let from = memory.get(at as usize..).unwrap_or_default();
    let found = usize::try_from(bytes).ok().and_then(|n| from.get(..n));
    found.ok_or(PluginError::OutOfMemory {
        function,
        at,
        bytes,
        memory: memory.len(),
    })
}

/// The number of 4 bytes at an offset; 0 beyond the end.
pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    found.map_or(0, |found| u32::from_le_bytes(*found))
}

/// The number of 8 bytes at an offset; 0 beyond the end.
pub(super) fn float(bytes: &[u8], at: usize) -> f64 {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    found.map_or(0.0, |found| f64::from_le_bytes(*found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(what: u32, row: u32, node: u32, gpus: u32, at: f64) -> Vec<u8> {
        let numbers = [what, row, node, gpus].map(u32::to_le_bytes);
        [numbers.as_flattened(), &at.to_le_bytes()].concat()
    }

    fn list(actions: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![0xFF; 3];
        bytes.extend((actions.len() as u64).to_le_bytes());
        bytes.extend(actions.concat());
        bytes
    }

    #[test]
    fn actions_are_read_from_any_address() {
        let bytes = list(&[
            action(3, 7, 0, 0, 0.0),
            action(1, 2, 9, 9, 0.0),
            action(2, 5, 1, 4, 0.0),
            action(4, 6, 0, 0, 2.5),
        ]);
        let mut actions = Vec::new();
        assert_eq!(read(&bytes, 3, 4, &mut actions), Ok(()));
        let expected = [
            Action::Stop { row: 7 },
            Action::Start { row: 2 },
            Action::StartOn {
                row: 5,
                node: 1,
                gpus: 4,
            },
            Action::Alarm { row: 6, at: 2.5 },
        ];
        assert_eq!(actions, expected);
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        let bytes = list(&[action(9, 0, 0, 0, 0.0)]);
        let why = |at, most| {
            let refused = read(&bytes, at, most, &mut Vec::new());
            refused.unwrap_err().to_string()
        };
        assert_eq!(
            why(3, 1),
            "its function plan wrote as action 0 the number 9, which is none"
        );
        assert_eq!(
            why(3, 0),
            "its function plan wrote 1 actions, of at most 0 for so many jobs and GPUs"
        );
        assert_eq!(
            why(u32::MAX, 1),
            "its function plan returned 4294967295, but 8 bytes from there on are not all within its memory of 35"
        );
        assert!(why(0, u32::MAX).contains("bytes from there on"));
    }
}
