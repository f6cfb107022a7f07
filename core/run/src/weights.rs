//! Weights at hand, by what they were trained for: a placement, or a picker of jobs. Whoever runs something
//! brings them, as bytes of safetensors; only the shipped pickers', which are small, are part of a program.

use std::sync::Arc;
use switchyard_placement::Strategy;
use switchyard_placement::graph_rl::network as placing;
use switchyard_policies::picking::network as picking;
use switchyard_policies::{Picker, PolicySpec};
use switchyard_tensors::{NetworkError, Tensors, WeightsChoice, WeightsId};

/// The weights at hand.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    id: WeightsId,
    is_shipped: bool,
    network: Network,
}

#[derive(Clone, Debug)]
enum Network {
    Placer(Strategy, Arc<placing::Network>),
    Picker(Picker, Arc<picking::Network>),
}

impl Network {
    /// The network of a file, which is known by its tensors.
    fn of_safetensors(file: &[u8]) -> Result<Self, NetworkError> {
        let tensors = Tensors::of(file)?;
        let has = |layer: &str| tensors.has(&format!("{layer}.weight"));
        if ["0", "1", "2", "3"].into_iter().any(has) {
            let network = picking::Network::of_tensors(&tensors)?;
            let picker = tensors.picker().unwrap_or(Picker::Lublin.name());
            let picker = Picker::named(picker).ok_or_else(|| NetworkError::TrainedFor {
                of: "picker",
                name: picker.to_owned(),
            });
            return Ok(Self::Picker(picker?, Arc::new(network)));
        }
        if !placing::LAYERS.into_iter().any(|layer| has(layer.0)) {
            let names: Vec<&str> = tensors.names().into_iter().take(4).collect();
            return Err(NetworkError::Unknown(names.join(", ")));
        }
        let network = placing::Network::of_tensors(&tensors)?;
        let placement = network.placement().parse::<Strategy>();
        let placement = placement.ok().filter(|placement| placement.is_learned());
        let placement = placement.ok_or_else(|| NetworkError::TrainedFor {
            of: "placement",
            name: network.placement().to_owned(),
        });
        Ok(Self::Placer(placement?, Arc::new(network)))
    }
}

impl Weights {
    /// Adds a file of safetensors that is shipped.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn add_shipped(&mut self, file: &[u8]) -> Result<(), NetworkError> {
        self.add(file, true).map(|_| ())
    }

    /// Adds somebody's own; how they are called from now on.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn add_own(&mut self, file: &[u8]) -> Result<WeightsId, NetworkError> {
        self.add(file, false)
    }

    fn add(&mut self, file: &[u8], is_shipped: bool) -> Result<WeightsId, NetworkError> {
        let network = Network::of_safetensors(file)?;
        let id = WeightsId::of(file);
        self.files
            .retain(|file| (file.id, file.is_shipped) != (id, is_shipped));
        self.files.push(File {
            id,
            is_shipped,
            network,
        });
        Ok(id)
    }

    /// The network of a placement where a run asks for these weights.
    pub fn placer(
        &self,
        placement: Strategy,
        asked: WeightsChoice,
    ) -> Option<Arc<placing::Network>> {
        let of = |file: &File| match &file.network {
            Network::Placer(of, network) if *of == placement => Some(Arc::clone(network)),
            _ => None,
        };
        let mut shipped = self.files.iter().filter(|file| file.is_shipped);
        self.named(asked)?
            .and_then(of)
            .or_else(|| shipped.find_map(of))
    }

    /// The same of a picker.
    pub fn picker(&self, picker: Picker, asked: WeightsChoice) -> Option<Arc<picking::Network>> {
        let network = self.named(asked)?.and_then(|file| match &file.network {
            Network::Picker(of, network) if *of == picker => Some(Arc::clone(network)),
            _ => None,
        });
        network.or_else(|| Some(Arc::new(picker.shipped())))
    }

    /// The policy that goes by weights of one's own.
    pub fn policy(&self, id: WeightsId) -> Option<PolicySpec> {
        let file = self.named(WeightsChoice::Own(id))??;
        let policy = match &file.network {
            Network::Placer(placement, _) => {
                PolicySpec::of("graph-rl", [("placement", placement.name())])
            }
            Network::Picker(picker, _) => PolicySpec::of("rl-picker", [("weights", picker.name())]),
        };
        policy.ok()
    }

    /// Whether they are those of a run by this placement and this picker, if it goes by any.
    pub fn are_of(
        &self,
        id: WeightsId,
        placement: Option<Strategy>,
        picker: Option<Picker>,
    ) -> bool {
        let file = self.named(WeightsChoice::Own(id)).flatten();
        file.is_some_and(|file| match file.network {
            Network::Placer(of, _) => placement == Some(of),
            Network::Picker(of, _) => picker == Some(of),
        })
    }

    /// The file that a choice names, if it names one; `None`: it is not at hand.
    fn named(&self, asked: WeightsChoice) -> Option<Option<&File>> {
        match asked {
            WeightsChoice::Shipped => Some(None),
            WeightsChoice::Own(id) => self.files.iter().find(|file| file.id == id).map(Some),
        }
    }
}
