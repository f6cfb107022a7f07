//! Evolution strategies (Salimans et al., 2017): where jobs are preempted no single pick is to be praised or
//! blamed, so parameters are moved at random, one way and the other, and what made mean JCT less is
//! followed, by Adam.

use super::environment::{Days, Environment};
use crate::adam::Adam;
use crate::picker::model::Model;
use anyhow::{Context, Result};
use candle_core::{Device, Tensor};
use switchyard::draw::{Rng, unit};
use switchyard::policies::picking::network::Network;

/// How much is done in a round.
#[derive(Clone, Copy)]
pub struct Round {
    /// How often all parameters are moved, one way and the other.
    pub pairs: u32,
    /// By how much: the deviation of a parameter.
    pub by: f64,
    /// Pieces of the trace that each is tried on.
    pub pieces: u32,
    /// Jobs of a piece.
    pub length: usize,
    /// What Adam learns by a step.
    pub rate: f64,
}

/// One round; how the mean JCT of those moved compares with that of the unmoved one: a mean of logarithms.
pub fn round(
    environment: &Environment,
    model: &Model,
    adam: &mut Adam,
    round: Round,
    rng: &mut Rng,
) -> Result<f64> {
    let parameters = model.parameters()?;
    let pieces = (0..round.pieces).map(|_| environment.draw(round.length, rng));
    let pieces: Vec<Days> = pieces.collect::<Result<_>>()?;
    let network = |parameters: Vec<f32>| -> Result<Network> {
        Network::new(parameters).context("the engine's network has other layers")
    };
    let judge = |network: &Network| -> Result<f64> {
        let mut sum = 0.0;
        for days in &pieces {
            sum += environment.mean_jct(days, network)?.ln();
        }
        Ok(sum / pieces.len() as f64)
    };
    let unmoved = judge(&network(parameters.clone())?)?;
    let mut slopes = vec![0.0; parameters.len()];
    let mut mean = 0.0;
    for _ in 0..round.pairs {
        let way: Vec<f64> = parameters.iter().map(|_| normal(rng)).collect();
        let moved = |sign: f64| {
            let all = parameters.iter().zip(&way);
            let all = all.map(|(&value, way)| (f64::from(value) + sign * round.by * way) as f32);
            judge(&network(all.collect())?)
        };
        let (one, other) = (moved(1.0)?, moved(-1.0)?);
        mean += ((one + other) / 2.0 - unmoved) / f64::from(round.pairs);
        let slope = (one - other) / (2.0 * round.by) / f64::from(round.pairs);
        for (sum, way) in slopes.iter_mut().zip(&way) {
            *sum += slope * way;
        }
    }
    let mut rest = &slopes[..];
    let gradients = model.variables().into_iter().map(|(_, variable)| {
        let (own, after) = rest.split_at(variable.elem_count());
        rest = after;
        let own: Vec<f32> = own.iter().map(|&slope| slope as f32).collect();
        Ok(Tensor::from_vec(own, variable.dims(), &Device::Cpu)?)
    });
    adam.step(&gradients.collect::<Result<Vec<_>>>()?, round.rate)?;
    Ok(mean)
}

/// Of mean 0 and deviation 1 (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let (a, b) = (1.0 - unit(rng), unit(rng));
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}
