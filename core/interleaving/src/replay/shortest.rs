//! SRTF and SRSF: least remaining time, or GPU time, first; everything is placed anew at each event, with backfilling.

use super::world::{Policy, ReplayError, World};
use crate::gangs::{Cluster, Room};

pub(super) struct Shortest {
    room: Room,
    /// Whether time counts once for each GPU.
    by_gpu_time: bool,
}

impl Shortest {
    pub(super) fn new(cluster: Cluster, by_gpu_time: bool) -> Self {
        Self {
            room: Room::new(cluster),
            by_gpu_time,
        }
    }
}

impl Policy for Shortest {
    fn plan(&mut self, world: &mut World) -> Result<(), ReplayError> {
        let by_gpu_time = self.by_gpu_time;
        world.sort_by_key(|world, job| {
            let of = &world.jobs[job];
            let time = world.states[job].remaining * of.iteration_time;
            match by_gpu_time {
                true => time * f64::from(of.gpus),
                false => time,
            }
        });
        self.room.clear();
        for at in 0..world.line.len() {
            let job = world.line[at];
            let fits = self.room.take(world.jobs[job].gpus);
            world.set_running(job, fits);
        }
        Ok(())
    }
}
