//! Where to look at a trace first, before anything of it has run, and how fast.

use switchyard::job::Job;

/// Stretches of time that are told apart.
const STRETCHES: usize = 2_000;
/// Of what is asked for at most, or of one and a half clusters, so much makes a busy moment.
const BUSY: f64 = 0.9;
const CROWDED: f64 = 1.5;
/// Submissions per real second that an eye can follow, and how many of them tell how often they come.
const SEEN_PER_SECOND: f64 = 2.0;
const NEXT: usize = 200;
/// Real seconds in which a trace plays through at the fastest.
const PLAY_THROUGH_SECONDS: f64 = 90.0;

/// The first busy moment, seconds: jobs as they would run at once ask for more GPUs than there are, or,
/// where they never do, for nearly as many as they ever will.
pub(super) fn busy(jobs: &[Job], gpus: u32) -> f64 {
    let last = jobs.last().map_or(0.0, |job| job.submit.seconds());
    let width = last / STRETCHES as f64;
    if width <= 0.0 {
        return 0.0;
    }
    let mut changes = vec![0.0; STRETCHES + 1];
    for job in jobs.iter().filter(|job| job.gpus <= gpus) {
        let share = job.demand.share.map_or(1000, |share| share.get());
        let asked = f64::from(job.gpus) * f64::from(share) / 1000.0;
        let (from, to) = (
            job.submit.seconds(),
            job.submit.seconds() + job.work.seconds(),
        );
        let mut change = |at: f64, by: f64| {
            if let Some(change) = changes.get_mut((at / width) as usize) {
                *change += by;
            }
        };
        change(from, asked);
        change(to, -asked);
    }
    let mut now = 0.0;
    for change in &mut changes {
        now += *change;
        *change = now;
    }
    let most = changes.iter().copied().fold(0.0, f64::max);
    let enough = BUSY * most.min(CROWDED * f64::from(gpus));
    let at = changes.iter().position(|&asked| asked >= enough);
    at.map_or(0.0, |at| (width * (at + 1) as f64).min(last))
}

/// Simulated seconds per real second with which one sees jobs come from a moment on; a short trace
/// still takes its time.
pub(super) fn speed(jobs: &[Job], from: f64) -> f64 {
    let submitted = |at: usize| jobs.get(at).map_or(0.0, |job| job.submit.seconds());
    let last = submitted(jobs.len().saturating_sub(1));
    let longest = jobs.iter().map(|job| job.work.seconds());
    let through = (last + longest.fold(0.0, f64::max)) / PLAY_THROUGH_SECONDS;
    let first = jobs.partition_point(|job| job.submit.seconds() < from);
    let first = first.min(jobs.len().saturating_sub(NEXT));
    let next = NEXT.min(jobs.len().saturating_sub(1));
    let apart = (submitted(first + next) - submitted(first)) / next.max(1) as f64;
    let seen = if apart > 0.0 {
        SEEN_PER_SECOND * apart
    } else {
        through
    };
    round(seen.min(through))
}

/// A speed with one significant digit of 1, 2 or 5; at least real time.
fn round(speed: f64) -> f64 {
    let mut decade = 1.0;
    while decade * 10.0 <= speed {
        decade *= 10.0;
    }
    [5.0, 2.0, 1.0]
        .map(|digit| digit * decade)
        .into_iter()
        .find(|&rounded| rounded <= speed)
        .unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_round() {
        assert_eq!(
            [0.2, 1.0, 7.0, 960.0, 4_999.0].map(round),
            [1.0, 1.0, 5.0, 500.0, 2_000.0]
        );
    }

    #[test]
    fn a_gap_is_passed_over_and_the_first_crowd_is_found() {
        let mut jobs = vec![Job::plain(0.0, 1, 10.0), Job::plain(5.0, 900, 1e6)];
        jobs.extend((0..50).map(|i| Job::plain(50_000.0 + f64::from(i), 1, 1_000.0)));
        jobs.push(Job::plain(100_000.0, 1, 10.0));
        // On 8 GPUs the first eleven are a crowd; on 400 nothing is, but all fifty are most.
        let (small, large) = (busy(&jobs, 8), busy(&jobs, 400));
        assert!((50_011.0..50_100.0).contains(&small), "{small}");
        assert!((50_044.0..50_150.0).contains(&large), "{large}");
        assert_eq!(busy(&[], 8), 0.0);
        assert_eq!(
            busy(&[Job::plain(0.0, 2, 9.0), Job::plain(0.0, 1, 9.0)], 8),
            0.0
        );
    }

    #[test]
    fn arrivals_can_be_seen_whatever_the_trace() {
        for apart in [0.01, 3.0, 300.0] {
            let jobs: Vec<Job> = (0..50_000)
                .map(|i| Job::plain(f64::from(i) * apart, 1, 1_000.0))
                .collect();
            let speed = speed(&jobs, 100.0 * apart);
            assert!(speed / apart <= SEEN_PER_SECOND.max(1.0 / apart), "{speed}");
        }
        // All at once: played through.
        assert_eq!(
            speed(&[Job::plain(0.0, 1, 900.0), Job::plain(0.0, 1, 90.0)], 0.0),
            10.0
        );
    }
}
