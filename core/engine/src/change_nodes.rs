//! What failures do to the world: nodes close and open, and who runs on one that fails, or fails by
//! itself as its trace records, goes back to the queue with what it had saved.

use super::log::{EventKind, Eviction, NodeChange, Stop, StopCause};
use super::news::News;
use super::node_state::NodeState;
use super::world::{Trouble, World};
use crate::job::JobId;

impl World {
    /// Applies every outage that begins or ends now.
    pub(super) fn change_nodes(&mut self) -> Result<(), Trouble> {
        if self.outages.next_time() == self.now {
            self.apply_outages()?;
        }
        Ok(())
    }

    #[cold]
    fn apply_outages(&mut self) -> Result<(), Trouble> {
        while let Some(change) = self.outages.pop_at(self.now) {
            let node = change.node;
            self.watch.happened(self.now);
            let before = self.nodes.by_outages(node);
            self.nodes.change(node, change.kind, change.begins);
            let after = self.nodes.by_outages(node);
            if after != before {
                self.log.push_node(NodeChange {
                    time: self.now,
                    node,
                    state: after,
                    until: change.until,
                });
            }
            if after == NodeState::Down {
                self.evict_all(node)?;
            }
            match (before, after) {
                (NodeState::Up, NodeState::Up) => {}
                (NodeState::Up, _) => self.news.push(News::NodeDown(node)),
                (_, NodeState::Up) => self.news.push(News::NodeUp(node)),
                _ => {}
            }
            if change.is_listed {
                self.watch.nodes_changed();
            } else {
                self.watch.nodes_changed_by_chance(self.standstill())?;
            }
        }
        Ok(())
    }

    /// A running job's attempt has failed: it tries again.
    #[cold]
    pub(super) fn fail(&mut self, job: JobId) {
        let segment = self.jobs.segment[job.index()];
        let lost = self.jobs.fail(job, self.now);
        self.send_back(job);
        self.log.push_event(self.now, EventKind::Fail, job, segment);
        self.log.push_stop(Stop {
            time: self.now,
            segment,
            cause: StopCause::Retried,
            lost,
        });
        self.tell_evicted(job);
    }

    /// The scheduler hears of it, unless it does not decide about this job.
    fn tell_evicted(&mut self, job: JobId) {
        if !self.is_on_cores(job) {
            self.news.evicted(job);
        }
    }

    /// Nobody runs on this node any more.
    fn evict_all(&mut self, node: u32) -> Result<(), Trouble> {
        let is_there = |job: &JobId| {
            let parts = self.ledger.parts(*job);
            parts.iter().any(|part| part.node == node)
        };
        let mut there: Vec<JobId> = self.ledger.running().filter(is_there).collect();
        let on_cores = self.on_cores.as_deref();
        there.extend(
            on_cores
                .into_iter()
                .flat_map(|on_cores| on_cores.on_node(node)),
        );
        there.sort_unstable();
        for job in there {
            let segment = self.jobs.segment[job.index()];
            let (lost, saved) = self.jobs.lose_unsaved(job, self.now);
            self.watch.evicted(job, saved, self.nodes.gpus)?;
            self.send_back(job);
            self.log
                .push_event(self.now, EventKind::Evict, job, segment);
            self.log.push_eviction(Eviction {
                time: self.now,
                segment,
                node,
                lost,
            });
            self.tell_evicted(job);
        }
        Ok(())
    }
}
