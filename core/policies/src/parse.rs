//! From a text to a [`PolicySpec`], and what its policy says of itself with these parameters.

use super::parameters::Written;
use super::{
    BuildContext, Levels, ParamInfo, Parameters, Picker, PolicyEntry, PolicySpec, SpecError,
    UserCode, entry, unknown_policy,
};
use crate::outages::Outages;
use std::str::FromStr;
use switchyard_engine::{Mistake, Scheduler};
use switchyard_placement::Strategy;
use switchyard_queues::lending::InnerQuota;

/// What a policy says of itself with these parameters.
impl PolicySpec {
    /// Its entry.
    pub fn entry(&self) -> &'static PolicyEntry {
        self.parameters.entry()
    }

    /// Whether it may see true remaining work, which no real scheduler knows.
    pub fn is_oracle(&self) -> bool {
        self.parameters.properties().is_oracle()
    }

    /// Whether all that it knows ahead is the times asked for, and the true ones of jobs alone that ask for none.
    pub fn goes_by_times_asked(&self) -> bool {
        self.parameters.properties().goes_by_times_asked()
    }

    /// Whether it puts two jobs that ask for a GPU each on one.
    pub fn packs(&self) -> bool {
        self.parameters.properties().packs()
    }

    /// Whether it decides by solvers, which only some programs hold (the feature `solvers`).
    pub fn solves(&self) -> bool {
        self.entry().solves || self.parameters.properties().solves()
    }

    /// Whether it lets several gangs take turns on the same GPUs.
    pub fn interleaves(&self) -> bool {
        self.parameters.properties().interleaves()
    }

    /// Whether it gives jobs whole GPUs, also those that could share one.
    pub fn takes_whole_gpus(&self) -> bool {
        self.entry().takes_whole_gpus
    }

    /// Whether it repeats what the trace records.
    pub fn replays(&self) -> bool {
        self.entry().replays
    }

    /// Whether it gives jobs other GPUs and batches than they ask for.
    pub fn adapts_jobs(&self) -> bool {
        self.parameters.properties().adapts_jobs()
    }

    /// Whether it serves jobs in order of arrival, so that who waits longest is the head of the line.
    pub fn serves_in_order(&self) -> bool {
        self.entry().in_order
    }

    /// Its queues, if it sorts jobs into some by what they have attained.
    pub fn levels(&self) -> Option<Levels> {
        self.parameters.properties().levels()
    }

    /// What the quota of an inner queue is to it, if it divides a cluster among a tree of queues.
    pub fn inner_quota(&self) -> InnerQuota {
        self.parameters.properties().inner_quota()
    }

    /// The picker that learned whose weights it goes by, if it goes by any.
    pub fn picker(&self) -> Option<Picker> {
        self.parameters.properties().picker()
    }

    /// The name of the service history that it asks for, if that is not one of
    /// [the run's own](super::ServiceHistory::OWN).
    pub fn history(&self) -> Option<&str> {
        self.parameters.properties().history()
    }

    /// The script or the plug-in that decides, if it is such a policy.
    pub fn user_code(&self) -> Option<UserCode<'_>> {
        self.parameters.properties().user_code()
    }

    /// Says whether that can be run.
    ///
    /// # Errors
    ///
    /// A mistake in it, or that this program runs none of its kind.
    pub fn check_code(&self) -> Result<(), Mistake> {
        self.parameters.properties().check_code()
    }

    /// The placement by which it lays gangs, where the run has this one.
    pub fn placement(&self, run_default: Strategy) -> Strategy {
        self.parameters.placement().or(run_default)
    }
}

impl PolicySpec {
    /// A policy by name, with these texts as parameters.
    ///
    /// # Errors
    ///
    /// No such policy, no such parameter, no value for it, or values that do not go together.
    pub fn of<'a>(
        name: &str,
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SpecError> {
        let entry = entry(name).ok_or_else(|| unknown_policy(name))?;
        let mut texts: Vec<(&'static str, String)> = Vec::new();
        for (param, value) in given {
            let mut infos = entry.params.iter();
            let info = infos.find(|info| info.is_called(param)).ok_or_else(|| {
                SpecError::UnknownParam {
                    policy: name.to_string(),
                    param: param.to_string(),
                    valid: entry
                        .params
                        .iter()
                        .map(|info| info.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                }
            })?;
            let text = info
                .kind
                .canonical(value)
                .ok_or_else(|| SpecError::BadValue {
                    policy: name.to_string(),
                    param: param.to_string(),
                    value: value.to_string(),
                    meant: info.kind.meant(value),
                    valid: info.kind.to_string(),
                })?;
            if texts.iter().any(|(given, _)| *given == info.name) {
                return Err(SpecError::Twice {
                    policy: name.to_string(),
                    param: info.name.to_string(),
                });
            }
            texts.push((info.name, text));
        }
        let written = Written {
            policy: name,
            texts: &texts,
        };
        let parameters = Parameters::read(entry.name, &written)?;
        let fits = parameters.properties().check();
        fits.map_err(|what| SpecError::Conflict {
            policy: name.to_string(),
            what,
        })?;
        Ok(parameters.into())
    }

    /// The same policy with a parameter at this value.
    ///
    /// # Errors
    ///
    /// The policy has no such parameter, or it does not take the value.
    pub fn with(&self, param: &str, value: &str) -> Result<Self, SpecError> {
        self.with_all(&[(param, value)])
    }

    /// The same policy with these parameters at these values.
    ///
    /// # Errors
    ///
    /// The policy has no such parameter, or it does not take the value; or one is given twice.
    pub fn with_all(&self, changes: &[(&str, &str)]) -> Result<Self, SpecError> {
        let given: Vec<_> = self.given().collect();
        let stays = |info: &ParamInfo| !changes.iter().any(|(param, _)| info.is_called(param));
        let others = (given.iter())
            .filter(|(info, _)| stays(info))
            .map(|(info, text)| (info.name, text.as_str()));
        let changed = Self::of(self.name(), others.chain(changes.iter().copied()))?;
        Ok(changed.and_if(self.what_if().clone()))
    }
}

impl FromStr for PolicySpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (text, what_if) = condition(text)?;
        let (name, given) = split(text).ok_or_else(|| SpecError::Syntax(text.to_string()))?;
        Ok(Self {
            what_if,
            ..Self::of(name, given)?
        })
    }
}

/// The policy a spec describes.
pub fn build(spec: &PolicySpec, context: &BuildContext<'_>) -> Scheduler {
    Scheduler {
        spec: spec.label(),
        given: spec.given().map(|(info, _)| info.name.to_owned()).collect(),
        oracle: spec.is_oracle(),
        replays: spec.replays(),
        packs: spec.packs(),
        interleaves: spec.interleaves(),
        looks_at_links: Strategy::looks_at_links(spec.placement(context.placement)),
        policy: spec.parameters.build(context),
    }
}

/// What stands before `if`, and the outages behind it.
fn condition(text: &str) -> Result<(&str, Outages), SpecError> {
    // A file's name among the parameters may have the word, too.
    let end = text.rfind(']').map_or(0, |at| at + 1);
    let Some(at) = text[end..].find(" if ") else {
        return Ok((text, Outages::default()));
    };
    let (policy, outages) = text.split_at(end + at);
    let outages = outages.trim_start().trim_start_matches("if ");
    match outages.parse() {
        Ok(outages) => Ok((policy, outages)),
        Err(why) => Err(SpecError::Outage {
            policy: policy.trim().to_owned(),
            why: why.to_string(),
        }),
    }
}

/// `name[a=b,c=d]` in its pieces.
fn split(text: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('[') else {
        return (!text.is_empty() && !text.contains(['=', ']', ','])).then(|| (text, Vec::new()));
    };
    Some((name.trim(), pairs(rest.strip_suffix(']')?)?))
}

/// `a=b,c=d` in its pieces.
pub(super) fn pairs(text: &str) -> Option<Vec<(&str, &str)>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let pairs = text.split(',').map(|param| {
        let (name, value) = param.split_once('=')?;
        Some((name.trim(), value.trim()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{POLICIES, ParamKind, RENAMED};

    fn canonical(text: &str) -> String {
        text.parse::<PolicySpec>().unwrap().to_string()
    }

    #[test]
    fn a_run_may_have_outages_of_its_own() {
        for text in [
            "fifo if 7:3600..",
            "fewest-gpus[placement=spread] if 0:0..5,1:2..3:drain",
        ] {
            assert_eq!(canonical(text), text);
        }
        assert_eq!(
            canonical("gittins[history=what if.csv]"),
            "gittins[history=what if.csv]"
        );
        assert!(error("fifo if 7:9..5").starts_with("fifo if …: node 7's outage ends at 5 s"));
    }

    fn error(text: &str) -> String {
        text.parse::<PolicySpec>().unwrap_err().to_string()
    }

    #[test]
    fn specs_print_canonically() {
        assert_eq!(canonical("fifo"), "fifo");
        assert_eq!(
            canonical(" fifo[ backfill = true ] "),
            "fifo[backfill=true]"
        );
        assert_eq!(canonical("fifo[backfill=false]"), "fifo");
        assert_eq!(
            canonical("tiresias-las[queues=2,threshold=57600]"),
            "tiresias-las[queues=2,thresholds=57600]"
        );
        assert_eq!(canonical("las[quantum=5min]"), "las[quantum=300]");
        assert_eq!(
            canonical("gandiva[quantum=1h30min]"),
            "gandiva[quantum=5400]"
        );
        assert_eq!(
            canonical("tiresias-las[thresholds=3250.0:7200]"),
            "tiresias-las"
        );
        assert_eq!(
            canonical("srtf[placement=spread]"),
            "srtf[placement=spread]"
        );
    }

    #[test]
    fn names_of_before_mean_what_they_meant() {
        assert_eq!(canonical("sjf"), "fewest-gpus");
        assert_eq!(
            canonical("sjf[placement=spread] if 7:3600.."),
            "fewest-gpus[placement=spread] if 7:3600.."
        );
        for (before, now) in RENAMED {
            assert_eq!(canonical(before), *now);
            let is_taken = POLICIES.iter().any(|entry| entry.name == *before);
            assert!(!is_taken, "{before} is a policy, too");
        }
    }

    /// What a title names is what runs without a parameter.
    #[test]
    fn titles_say_what_runs() {
        for entry in POLICIES {
            let backfills = entry
                .params
                .iter()
                .any(|info| info.name == "backfill" && info.default == "true");
            let title = entry.title.to_lowercase();
            let says = ["easy", "backfill"].iter().any(|word| title.contains(word));
            assert!(!says || backfills, "{}", entry.title);
        }
        let sjf = POLICIES.iter().filter(|entry| entry.title.contains("SJF"));
        assert!(sjf.map(|entry| entry.name).eq(["shortest-job"]));
    }

    #[test]
    fn entries_say_what_follows_from_parameters() {
        let spec = |text: &str| text.parse::<PolicySpec>().unwrap();
        assert!(spec("srtf").is_oracle() && spec("pollux[fit=oracle]").is_oracle());
        assert!(!spec("fewest-gpus").is_oracle() && !spec("pollux").is_oracle());
        assert_eq!(spec("gittins[history=oracle]").history(), None);
        assert_eq!(spec("gittins[history=h.csv]").history(), Some("h.csv"));
        let thresholds = |text: &str| spec(text).levels().map(|levels| levels.thresholds);
        assert_eq!(thresholds("fifo"), None);
        assert_eq!(thresholds("tiresias-las"), Some(vec![3250.0, 7200.0]));
        assert_eq!(thresholds("tiresias-las[queues=2]"), Some(vec![3250.0]));
        assert_eq!(thresholds("tiresias-las[queues=1]"), Some(vec![]));
        assert_eq!(
            thresholds("tiresias-gittins[thresholds=4]"),
            Some(vec![4.0])
        );
    }

    #[test]
    fn errors_list_what_is_valid() {
        let names: Vec<_> = POLICIES.iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        assert_eq!(
            error("lifo"),
            format!("there is no policy 'lifo': use one of {names}")
        );
        for (wrong, meant) in [
            ("tiresias", "'tiresias' (did you mean 'tiresias-las'?): use"),
            (
                "fifo[backfil=true]",
                "'backfil' (did you mean 'backfill'?): it takes",
            ),
            (
                "fifo[backfill=ture]",
                "'ture' (did you mean 'true'?) is no value",
            ),
            (
                "fifo[placement=consolidate]",
                "'consolidate' (did you mean 'consolidated'?) is no value",
            ),
        ] {
            assert!(error(wrong).contains(meant), "{}", error(wrong));
        }
        assert_eq!(
            error("fifo[speed=3]"),
            "fifo has no parameter 'speed': it takes backfill, placement"
        );
        assert_eq!(
            error("fifo[backfill=maybe]"),
            "fifo: 'maybe' is no value for 'backfill', which takes true or false"
        );
        assert_eq!(
            error("fifo[placement=pack]"),
            format!(
                "fifo: 'pack' is no value for 'placement', which takes {}",
                ParamKind::PlacementOrRuns
            )
        );
        assert_eq!(
            error("fifo[backfill=true,backfill=true]"),
            "fifo is given 'backfill' twice"
        );
        assert_eq!(
            error("fifo[backfill"),
            "'fifo[backfill' is not a policy: write name or name[parameter=value,…]"
        );
        assert_eq!(
            error(""),
            "'' is not a policy: write name or name[parameter=value,…]"
        );
        assert_eq!(
            error("tiresias-las[queues=4,thresholds=1:2]"),
            "tiresias-las: 4 queues need 3 thresholds, not 2"
        );
        // A default that is written counts as written.
        assert_eq!(
            error("tiresias-las[queues=3,threshold=1]"),
            "tiresias-las: 3 queues need 2 thresholds, not 1"
        );
        assert_eq!(
            error("tiresias-gittins[delta=soon]"),
            "tiresias-gittins: delta is 'soon': use queue, simulator or a number of GPU·s above 0"
        );
    }

    #[test]
    fn one_parameter_is_changed_or_refused() {
        let spec: PolicySpec = "tiresias-las[knob=2] if 7:3600..".parse().unwrap();
        let with = |param, value| match spec.with(param, value) {
            Ok(spec) => spec.to_string(),
            Err(why) => why.to_string(),
        };
        assert_eq!(with("promoteknob", "4"), "tiresias-las[knob=4] if 7:3600..");
        assert_eq!(with("knob", "0"), "tiresias-las if 7:3600..");
        assert!(
            with("nob", "4")
                .starts_with("tiresias-las has no parameter 'nob' (did you mean 'knob'?)")
        );
        assert!(with("knob", "much").starts_with("tiresias-las: 'much' is no value for 'knob'"));
        assert_eq!(spec.value("queues").as_deref(), Some("3"));
        assert_eq!(spec.value("nob"), None);
    }
}
