//! The question of when a job would start that the view has.

use super::start::{StartOrder, StartRun, Starting};
use super::view_options::{
    START_DRAWS, START_GPUS, START_JOB, START_LIMIT, START_QUEUE, START_RUN, START_USER,
};
use super::{AppState, Run};
use crate::complaint::Complaint;
use switchyard::job::JobId;
use switchyard::seconds_of;
use switchyard_app::start::{Asked, Wish};

/// The time that a text says, seconds; nothing where there is none.
///
/// # Errors
///
/// What a time is, a sentence.
pub fn limit_of(text: &str) -> Result<Option<f64>, Complaint> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let seconds = seconds_of(text).filter(|seconds| *seconds > 0.0);
    let why = || Complaint::from("A time longer than 0: seconds, or 90min, 11h, 2d3h.");
    seconds.map(Some).ok_or_else(why)
}

impl AppState {
    /// The schedulers that are asked.
    pub fn asked_cards(&self) -> Vec<&Run> {
        let only = self.option_run(&START_RUN);
        let asked = |card: &&Run| only.is_none_or(|id| id == card.id);
        self.runs.iter().filter(asked).collect()
    }

    /// The question that the view has, at a moment; `chosen` is the chosen job.
    ///
    /// # Errors
    ///
    /// What cannot be asked, a sentence.
    pub fn start_question(
        &self,
        moment: f64,
        chosen: Option<JobId>,
    ) -> Result<(Starting, Vec<StartOrder>), Complaint> {
        let job = match self.option(&START_JOB) {
            "chosen" => Some(chosen.ok_or("Choose a job that waits, in any view.")?),
            _ => None,
        };
        let word = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let asked = Asked {
            job,
            wish: Wish {
                gpus: self.option(&START_GPUS).parse().ok(),
                user: word(self.option(&START_USER)),
                queue: word(self.option(&START_QUEUE)),
                limit: limit_of(self.option(&START_LIMIT))?,
            },
        };
        let cards = self.asked_cards();
        if cards.is_empty() {
            return Err("Add a scheduler: there is none to ask.".into());
        }
        let run = |card: &&Run| StartRun {
            name: card.name().to_owned(),
            hue: card.hue(),
            starts: Vec::new(),
            so_far: None,
            helps: 0,
            told: None,
        };
        let order = |card: &&Run| StartOrder {
            spec: self.run_spec(card),
            asked: asked.clone(),
        };
        let starting = Starting {
            moment,
            draws: self.option(&START_DRAWS).parse().unwrap_or(200),
            runs: cards.iter().map(run).collect(),
            under_way: true,
        };
        Ok((starting, cards.iter().map(order).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::Link;
    use super::super::random::opened;
    use super::super::start::StartNews;
    use super::*;

    fn state(more: &str) -> AppState {
        opened(&Link::parse(&format!(
            "sample=lab&run=fifo&run=tiresias-las&cluster=4x4{more}"
        )))
    }

    #[test]
    fn a_link_holds_the_whole_question() {
        let asks = "&start-gpus=8&start-user=ada&start-queue=long&start-limit=2h&start-draws=50";
        let (starting, orders) = state(asks).start_question(7.0, None).unwrap();
        assert_eq!((starting.draws, starting.runs.len()), (50, 2));
        let wish = Wish {
            gpus: Some(8),
            user: Some("ada".to_owned()),
            queue: Some("long".to_owned()),
            limit: Some(7200.0),
        };
        assert!(
            orders
                .iter()
                .all(|of| of.asked.wish == wish && of.asked.job.is_none())
        );
        let one = state("&start-run=1").start_question(7.0, None).unwrap().1;
        assert_eq!(one[0].spec.policy.name(), "tiresias-las");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let why = |more: &str| state(more).start_question(0.0, None).unwrap_err();
        assert!(why("&start-limit=soon").starts_with("A time longer than 0"));
        assert!(why("&start-limit=0").starts_with("A time longer than 0"));
        assert!(why("&start-job=chosen").starts_with("Choose a job"));
        let chosen = state("&start-job=chosen").start_question(0.0, Some(JobId(3)));
        assert_eq!(chosen.unwrap().1[0].asked.job, Some(JobId(3)));
    }

    #[test]
    fn it_is_over_once_all_have_answered() {
        let (mut starting, _) = state("").start_question(0.0, None).unwrap();
        for at in [0, 1] {
            assert!(starting.under_way);
            starting.note(at, StartNews::Told(Box::new(Err("no".into()))));
        }
        assert!(!starting.under_way);
    }
}
