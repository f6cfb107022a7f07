//! Adam (Kingma & Ba, 2015), with its moments at hand: a checkpoint keeps them, which candle's own
//! optimiser does not let one do.

use crate::named::Named;
use anyhow::{Context, Result, ensure};
use candle_core::{Tensor, Var};

const BETAS: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;
/// The norm of all gradients beyond which they are cut down to it.
const MOST: f64 = 0.5;

/// What goes from step to step.
pub struct Adam {
    variables: Vec<(String, Var)>,
    moments: Vec<[Tensor; 2]>,
    steps: u32,
    most: f64,
}

impl Adam {
    /// No step taken yet, and none with gradients as large as they come.
    pub fn unclipped(variables: Vec<(String, Var)>) -> Result<Self> {
        Ok(Self {
            most: f64::INFINITY,
            ..Self::new(variables)?
        })
    }

    /// No step taken yet.
    pub fn new(variables: Vec<(String, Var)>) -> Result<Self> {
        let zeros = variables.iter().map(|(_, variable)| {
            let zeros = variable.zeros_like()?;
            Ok([zeros.clone(), zeros])
        });
        Ok(Self {
            moments: zeros.collect::<Result<_>>()?,
            variables,
            steps: 0,
            most: MOST,
        })
    }

    /// For a checkpoint: the moments of each variable, then how many steps were taken.
    pub fn tensors(&self) -> Result<Vec<Named>> {
        let mut all = Vec::new();
        for ((name, variable), moments) in self.variables.iter().zip(&self.moments) {
            for (which, moment) in ["first", "second"].into_iter().zip(moments) {
                let values = moment.flatten_all()?.to_vec1::<f32>()?;
                let name = format!("adam.{which}.{name}");
                all.push((name, variable.dims().to_vec(), values));
            }
        }
        all.push(("adam.steps".to_owned(), vec![1], vec![self.steps as f32]));
        Ok(all)
    }

    /// As it was: the values of [`tensors`](Self::tensors).
    pub fn set(&mut self, values: &[Vec<f32>]) -> Result<()> {
        let (steps, moments) = values.split_last().context("nothing of Adam is there")?;
        ensure!(
            moments.len() == 2 * self.variables.len(),
            "moments are missing"
        );
        self.steps = steps.first().copied().unwrap_or(0.0) as u32;
        for (at, values) in moments.iter().enumerate() {
            let moment = &mut self.moments[at / 2][at % 2];
            *moment = Tensor::from_slice(values, moment.dims(), moment.device())?;
        }
        Ok(())
    }

    /// One step down these gradients, one for each variable.
    pub fn step(&mut self, gradients: &[Tensor], rate: f64) -> Result<()> {
        self.step_where(gradients, rate, |_| true)
    }

    /// The same of some of the variables, by name. The others stay as they are, also where their moments
    /// would carry them on.
    pub fn step_where(
        &mut self,
        gradients: &[Tensor],
        rate: f64,
        moves: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let moving: Vec<bool> = self.variables.iter().map(|(name, _)| moves(name)).collect();
        let mut squares = 0.0;
        for (gradient, _) in gradients.iter().zip(&moving).filter(|(_, moves)| **moves) {
            squares += f64::from(gradient.sqr()?.sum_all()?.to_scalar::<f32>()?);
        }
        ensure!(
            squares.is_finite(),
            "gradients are no numbers any more: a lower rate may help"
        );
        let norm = squares.sqrt();
        let scale = if norm > self.most {
            self.most / norm
        } else {
            1.0
        };
        self.steps += 1;
        let steps = self.steps as i32;
        let (one, two) = (1.0 - BETAS.0.powi(steps), 1.0 - BETAS.1.powi(steps));
        let all = self.variables.iter().zip(&mut self.moments).zip(gradients);
        let moving = all.zip(moving).filter(|(_, moves)| *moves);
        for ((((_, variable), [first, second]), gradient), _) in moving {
            let gradient = (gradient * scale)?;
            *first = ((&*first * BETAS.0)? + (&gradient * (1.0 - BETAS.0))?)?;
            *second = ((&*second * BETAS.1)? + (gradient.sqr()? * (1.0 - BETAS.1))?)?;
            let size = ((&*second * (1.0 / two))?.sqrt()? + EPSILON)?;
            let by = ((&*first * (rate / one))? / size)?;
            variable.set(&(variable.as_tensor() - by)?)?;
        }
        Ok(())
    }
}
