//! Placements of pods that share GPUs, measured while pods arrive: what the page asks for
//! ([`Arrivals`]), and what a worker tells after every run of all of them ([`Measured`]). Needs no
//! trace; the sums are [`sharing`](switchyard::sharing)'s.

use serde::{Deserialize, Serialize};
use switchyard::explain::{Mark, Plot, PlotLine};
use switchyard::pods::Fleet;
use switchyard::sharing::{Curve, OPENB, PUBLISHED, Packer, inflate};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arrivals {
    /// Machines and pods; `None`: the invented ones.
    pub fleet: Option<Fleet>,
    /// Runs of each placement.
    pub seeds: u32,
}

/// What the runs so far tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Machines, their GPUs, and pods.
    pub size: [u64; 3],
    /// Runs so far, of each placement.
    pub seeds: u32,
    /// By placement.
    pub rows: Vec<PackerFigures>,
    /// Allocation and fragmentation over arrived load.
    pub plots: Vec<Plot>,
}

/// One placement: means over the runs, in percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackerFigures {
    /// Its name in the literature.
    pub title: String,
    /// What it does.
    pub summary: String,
    /// GPUs taken when 130 % have been asked for, and fragments among what is left at 80 %.
    pub figures: [f64; 2],
    /// The same as published, where it was for these machines and pods.
    pub published: Option<[f64; 2]>,
}

/// Where the figures stand: percent of arrived load.
const AT: [usize; 2] = [130, 80];

impl Arrivals {
    /// Measures, and tells after every run of all placements.
    pub(crate) fn measure(self, tell: impl Fn(Measured)) {
        let fleet = self.fleet.unwrap_or_else(Fleet::sample);
        let mut curves = Packer::ALL.map(|_| Vec::new());
        for seed in 0..self.seeds {
            for (packer, curves) in Packer::ALL.into_iter().zip(&mut curves) {
                curves.push(inflate(&fleet, packer, u64::from(seed)));
            }
            tell(measured(&fleet, seed + 1, &curves));
        }
    }
}

fn measured(fleet: &Fleet, seeds: u32, curves: &[Vec<Curve>; 6]) -> Measured {
    let means = curves.each_ref().map(|curves| Curve::mean_of(curves));
    let (machines, pods) = (fleet.machines.len(), fleet.pods.len());
    let rows: Vec<PackerFigures> = Packer::ALL
        .into_iter()
        .zip(&means)
        .map(|(packer, mean)| {
            let published = PUBLISHED.iter().find(|(name, _)| *name == packer.name);
            let published = published.filter(|_| (machines, pods) == OPENB);
            PackerFigures {
                title: packer.title.to_owned(),
                summary: packer.summary.to_owned(),
                figures: [
                    mean.figures(AT[0]).allocation,
                    mean.figures(AT[1]).fragmentation,
                ],
                published: published.map(|(_, at)| [at.allocation, at.fragmentation]),
            }
        })
        .collect();
    let plot = |title: &str, y: &str, which: usize| {
        let of = |curve: &Curve, percent: usize| {
            let figures = curve.figures(percent);
            [figures.allocation, figures.fragmentation][which]
        };
        let line = |(packer, mean): (&Packer, &Curve)| {
            // Until then all that come find room.
            let from = [AT[1], 0][which];
            let points = from..mean.at.len();
            let points = points.map(|percent| (percent as f64, of(mean, percent)));
            PlotLine::new(packer.title, points.collect())
        };
        let mut lines: Vec<PlotLine> = Packer::ALL.into_iter().zip(&means).map(line).collect();
        let at = AT[which] as f64;
        let published = rows.iter().filter_map(|row| row.published);
        let published: Vec<(f64, f64)> = published.map(|figures| (at, figures[which])).collect();
        if !published.is_empty() {
            lines.push(PlotLine {
                dots: true,
                ..PlotLine::new("published means", published)
            });
        }
        let mut plot = Plot::new(title, "GPUs asked for so far, % of all", y, lines);
        plot.marks.push(Mark {
            x: at,
            label: format!("{at} %"),
        });
        plot
    };
    Measured {
        size: [machines as u64, fleet.gpu_thousandths() / 1000, pods as u64],
        seeds,
        plots: vec![
            plot("Fragmentation", "fragments, % of idle GPUs", 1),
            plot("Allocation", "GPUs taken, % of all", 0),
        ],
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn every_run_is_told_and_fgd_leaves_the_fewest_fragments() {
        let told = RefCell::new(Vec::new());
        let ask = Arrivals {
            fleet: None,
            seeds: 2,
        };
        ask.measure(|measured| told.borrow_mut().push(measured));
        let told = told.into_inner();
        assert_eq!(told.iter().map(|of| of.seeds).collect::<Vec<_>>(), [1, 2]);
        let rows = &told[1].rows;
        assert_eq!(told[1].size, [160, 768, 1200]);
        let fragments = |title: &str| {
            let row = rows.iter().find(|row| row.title == title);
            row.expect("it is there").figures[1]
        };
        for row in rows.iter().filter(|row| row.title != "FGD") {
            assert!(fragments("FGD") < row.figures[1], "{row:?}");
            assert!((50.0..=100.0).contains(&row.figures[0]), "{row:?}");
        }
        assert!(told[1].plots.iter().all(|plot| plot.lines.len() == 6));
    }
}
