//! Slurm's associations, as `sacctmgr show assoc -P` and `sacctmgr dump` print them.
//!
//! An account is a queue, a user of it a leaf `account/user`, of one partition alone `account/user@partition`, and has
//! the user's jobs of that account. Shares are weights. `GrpTRES` is the most that an association may use: a nominal quota without borrowing. An association
//! without it may use all there is.
//!
//! A table wants columns `Account` and `User`. Accounts find theirs above by `ParentName`, or by their indentation
//! (`tree`); where there is neither, all lie below `root`, and a note says so.
//!
//! Source: <https://slurm.schedmd.com/sacctmgr.html>; `src/sacctmgr` of <https://github.com/SchedMD/slurm>.

use super::draft::{Draft, Entry};
use super::error::FileError;
use super::read::Read;
use crate::rules::{By, Rule};
use crate::slurm::associations::{Membership, Shares};
use crate::tree::{Kind, Quota, Resource};
use std::collections::{HashMap, HashSet};

/// The account above all.
const ROOT: &str = "root";

/// Shares of an association that says nothing.
const SHARES: f64 = 1.0;

/// An association as its text says it.
#[derive(Default)]
struct Said {
    line: u32,
    account: String,
    /// "" for an account.
    user: String,
    partition: String,
    above: Option<String>,
    shares: String,
    priority: String,
    limits: String,
}

impl Said {
    fn name(&self) -> String {
        match (self.user.as_str(), self.partition.as_str()) {
            ("", _) => self.account.clone(),
            (user, "") => format!("{}/{user}", self.account),
            (user, partition) => format!("{}/{user}@{partition}", self.account),
        }
    }

    fn object(&self) -> String {
        match self.user.as_str() {
            "" => format!("account '{}'", self.account),
            user => format!("user '{user}' of account '{}'", self.account),
        }
    }
}

/// Whether a text is one of both.
pub fn is_one(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| {
        line.starts_with("Cluster - ") || line.starts_with("Account - ") || header(line).is_some()
    })
}

/// Reads them.
///
/// # Errors
/// A table without accounts and users, several clusters, a row that is too short, shares or limits that are no numbers,
/// an account that is not there.
pub fn read(text: &str, file: &str) -> Result<Read, FileError> {
    let mut draft = Draft::new(file);
    let lines = (1..).zip(text.lines());
    let table = lines
        .clone()
        .find_map(|(number, line)| Some((number, header(line.trim())?)));
    let said = match table {
        Some((number, columns)) => of_table(text, number, &columns, &mut draft)?,
        None if is_one(text) => of_dump(text, &mut draft)?,
        None => {
            let what = "it is no list of associations; make one by 'sacctmgr show assoc -P format=Account,User,\
                        Partition,Share,Priority,GrpTRES,ParentName'";
            return Err(FileError::new(file, what));
        }
    };
    build(said, draft)
}

/// The columns of a table's first line.
fn header(line: &str) -> Option<HashMap<&str, usize>> {
    let cells = line.split('|').map(str::trim).enumerate();
    let columns: HashMap<&str, usize> = cells.map(|(at, name)| (name, at)).collect();
    let has = |name| columns.contains_key(name);
    (line.contains('|') && has("Account") && has("User")).then_some(columns)
}

fn of_table(
    text: &str,
    header: u32,
    columns: &HashMap<&str, usize>,
    draft: &mut Draft<'_>,
) -> Result<Vec<Said>, FileError> {
    let column = |names: &[&str]| names.iter().find_map(|name| columns.get(name)).copied();
    let parent = column(&["ParentName", "Par Name", "ParentN"]);
    let known: [(&[&str], Option<usize>); 3] = [
        (&["Partition"], column(&["Partition"])),
        (&["Priority"], column(&["Priority"])),
        (&["GrpTRES"], column(&["GrpTRES"])),
    ];
    let shares = column(&["Share", "Fairshare", "FairShare", "RawShares"]);
    let cluster = column(&["Cluster"]);
    let mut clusters: Option<String> = None;
    let mut all: Vec<Said> = Vec::new();
    // Accounts above the one at hand, with their indentation.
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut is_indented = false;
    for (number, line) in (1..).zip(text.lines()).skip(header as usize) {
        if line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split('|').collect();
        let cell = |at: Option<usize>| {
            at.and_then(|at| cells.get(at))
                .map_or("", |cell| cell.trim())
        };
        let account = columns["Account"];
        if cells.len() <= account.max(columns["User"]) {
            let what = format!(
                "the row has {} cells, too few for an account and a user; print it again with -P",
                cells.len()
            );
            return Err(FileError::new(draft.file, what).at(number));
        }
        let of_cluster = cell(cluster);
        match &clusters {
            Some(first) if first != of_cluster => {
                let what = format!(
                    "clusters '{first}' and '{of_cluster}' are both in it; print one, by cluster={first}"
                );
                return Err(FileError::new(draft.file, what).at(number));
            }
            _ => clusters = Some(of_cluster.to_owned()),
        }
        let mut said = Said {
            line: number,
            account: cell(Some(account)).to_owned(),
            user: cell(Some(columns["User"])).to_owned(),
            partition: cell(known[0].1).to_owned(),
            above: None,
            shares: cell(shares).to_owned(),
            priority: cell(known[1].1).to_owned(),
            limits: cell(known[2].1).to_owned(),
        };
        if said.user.is_empty() {
            let indent = cells[account].len() - cells[account].trim_start().len();
            is_indented |= indent > 0;
            above.retain(|&(other, _)| other < indent);
            let by_column = Some(cell(parent)).filter(|name| !name.is_empty());
            let by_indent = above.last().map(|(_, name)| name.as_str());
            said.above = by_column.or(by_indent).map(str::to_owned);
            above.push((indent, said.account.clone()));
        }
        all.push(said);
    }
    if parent.is_none() && !is_indented {
        let what =
            "accounts do not say what lies above them: all lie below 'root'; print ParentName, too";
        draft.note(header, what);
    }
    if shares.is_none() {
        draft.note(header, "there is no column Share: all have 1");
    }
    Ok(all)
}

fn of_dump(text: &str, draft: &mut Draft<'_>) -> Result<Vec<Said>, FileError> {
    let mut all: Vec<Said> = Vec::new();
    let mut parent = ROOT.to_owned();
    let mut clusters = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: String| Err(FileError::new(draft.file, what).at(number));
        let Some((what, rest)) = line.split_once(" - ") else {
            return wrong(format!(
                "'{line}' is no line of a dump; it begins with Cluster, Parent, Account or User and ' - '"
            ));
        };
        let fields = fields(rest);
        let name = fields
            .first()
            .map_or(String::new(), |(name, _)| name.clone());
        let value = |keys: &[&str]| {
            let mut found = fields.iter().skip(1);
            let found =
                found.find(|(key, _)| keys.iter().any(|known| known.eq_ignore_ascii_case(key)));
            found.map_or(String::new(), |(_, value)| value.clone())
        };
        let said = Said {
            line: number,
            shares: value(&["Fairshare", "FairShare"]),
            priority: value(&["Priority"]),
            limits: value(&["GrpTRES"]),
            ..Said::default()
        };
        match what {
            "Cluster" => {
                clusters += 1;
                if clusters > 1 {
                    return wrong("a second cluster begins; give one cluster a file".to_owned());
                }
                all.push(Said {
                    account: ROOT.to_owned(),
                    ..said
                });
            }
            "Parent" => parent = name,
            "Account" if name == ROOT => {}
            "Account" => all.push(Said {
                account: name,
                above: Some(parent.clone()),
                ..said
            }),
            "User" => all.push(Said {
                account: parent.clone(),
                user: name,
                partition: value(&["Partition"]),
                ..said
            }),
            "QOS" => draft.note(
                number,
                format!("QOS '{name}' is left out: it is no association"),
            ),
            other => {
                return wrong(format!(
                    "'{other}' is no part of a dump; it has Cluster, Parent, Account and User"
                ));
            }
        }
    }
    Ok(all)
}

/// `'name':Key='value':Key=value`, as pairs; the name with nothing.
fn fields(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut is_quoted = false;
    let parts = text.split(|letter| {
        is_quoted ^= letter == '\'';
        letter == ':' && !is_quoted
    });
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let plain = |text: &str| text.trim().trim_matches('\'').to_owned();
        all.push((plain(key), plain(value)));
    }
    all
}

fn build(mut said: Vec<Said>, mut draft: Draft<'_>) -> Result<Read, FileError> {
    let file = draft.file;
    let accounts: HashSet<String> = said
        .iter()
        .filter(|one| one.user.is_empty())
        .map(Said::name)
        .collect();
    if !said.is_empty() && !accounts.contains(ROOT) {
        let root = Said {
            line: 1,
            account: ROOT.to_owned(),
            ..Said::default()
        };
        said.insert(0, root);
    }
    let mut members = Vec::new();
    for one in said {
        let mut entry = Entry::new(one.object(), one.line, &one.name());
        entry.unnamed.nominal = f64::INFINITY;
        let is_user = !one.user.is_empty();
        let above = match (is_user, &one.above) {
            (true, _) => Some(one.account.clone()),
            (false, _) if one.account == ROOT => None,
            (false, Some(above)) => Some(above.clone()),
            (false, None) => Some(ROOT.to_owned()),
        };
        if is_user {
            let mut words = vec![
                (By::User, one.user.as_str()),
                (By::Account, one.account.as_str()),
            ];
            if !one.partition.is_empty() {
                words.push((By::Partition, one.partition.as_str()));
            }
            entry.queue.jobs.push(Rule::of_words(&words));
        }
        entry.parent = above.map(|above| (above, one.line));
        let wrong = |what: String| FileError::new(file, what).at(one.line).of(&entry.object);
        let shares = match one.shares.as_str() {
            "parent" => Shares::Parent,
            _ => Shares::Own,
        };
        entry.queue.weight = match one.shares.as_str() {
            "" | "parent" => SHARES,
            given => {
                let number = given.parse().ok().filter(|number: &u32| *number < u32::MAX);
                let number = number.ok_or_else(|| {
                    wrong(format!(
                        "its shares are '{given}'; give a whole number from 0, or parent"
                    ))
                })?;
                f64::from(number)
            }
        };
        if !one.priority.is_empty() {
            let number = one.priority.parse();
            entry.queue.priority = number.map_err(|_| {
                wrong(format!(
                    "its priority is '{}'; give a whole number",
                    one.priority
                ))
            })?;
        }
        for limit in one.limits.split(',').filter(|limit| !limit.is_empty()) {
            let (name, amount) = limit.split_once('=').unwrap_or((limit, ""));
            let resource = match name.split_once(':') {
                _ if name == "cpu" => (Kind::Cores, None),
                _ if name == "mem" => (Kind::Memory, None),
                _ if name == "gres/gpu" => (Kind::Gpus, None),
                Some(("gres/gpu", kind)) => (Kind::Gpus, Some(kind.to_owned())),
                _ => {
                    let what = format!(
                        "{}: its limit of '{name}' is left out: only GPUs, cores and memory are counted",
                        entry.object
                    );
                    draft.note(one.line, what);
                    continue;
                }
            };
            let (kind, flavor) = resource;
            let nominal = limit_of(kind, amount).ok_or_else(|| {
                wrong(format!(
                    "its limit of {name} is '{amount}'; give a number from 0, or leave it out"
                ))
            })?;
            let place = draft.resource(Resource { kind, flavor });
            let is_root = entry.parent.is_none();
            entry.quotas.push((
                place,
                Quota {
                    nominal,
                    borrowing_limit: (!is_root).then_some(0.0),
                    ..Quota::default()
                },
            ));
        }
        members.push(Membership { is_user, shares });
        draft.entries.push(entry);
    }
    let read = draft.finish()?;
    Ok(Read { members, ..read })
}

/// Slurm's amounts: memory in MiB, or with a unit.
fn limit_of(kind: Kind, text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let amount: f64 = digits
        .parse()
        .ok()
        .filter(|&amount: &f64| amount >= 0.0 && amount.is_finite())?;
    let unit = match (kind, text.get(digits.len()..)?) {
        (Kind::Memory, "" | "M") => 1.0 / 1024.0,
        (Kind::Memory, "K") => 1.0 / 1_048_576.0,
        (Kind::Memory, "G") => 1.0,
        (Kind::Memory, "T") => 1024.0,
        (Kind::Memory, "P") => 1_048_576.0,
        (_, "") => 1.0,
        (_, "K") => 1024.0,
        _ => return None,
    };
    Some(amount * unit)
}
