use super::*;
use proptest::prelude::*;

fn columns(of: &[(usize, u32)]) -> Vec<Configuration> {
    let column = |&(kind, gpus): &(usize, u32)| Configuration {
        kind,
        nodes: 1,
        gpus,
    };
    of.iter().map(column).collect()
}

fn program(gpus: &[u32], of: &[(usize, u32)], costs: Vec<Vec<i64>>) -> Program {
    let none = vec![None; costs.len()];
    Program {
        columns: columns(of),
        gpus: gpus.to_vec(),
        costs,
        kept: none.clone(),
        former: none,
    }
}

const EXACT: Effort = Effort {
    branches: usize::MAX,
    gap: 0.0,
    zero: 0,
};

/// Every plan there is.
fn brute_force(program: &Program) -> Option<i64> {
    fn go(program: &Program, job: usize, left: &mut [i64]) -> Option<i64> {
        let Some(costs) = program.costs.get(job) else {
            return Some(0);
        };
        let mut best = match program.kept[job] {
            Some(_) => None,
            None => go(program, job + 1, left),
        };
        for (at, column) in program.columns.iter().enumerate() {
            let allowed = program.kept[job].is_none_or(|kept| kept == at);
            if allowed && left[column.kind] >= i64::from(column.gpus) {
                left[column.kind] -= i64::from(column.gpus);
                let rest = go(program, job + 1, left).map(|rest| rest + costs[at]);
                left[column.kind] += i64::from(column.gpus);
                best = match (best, rest) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        best
    }
    let mut left: Vec<i64> = program.gpus.iter().map(|&gpus| i64::from(gpus)).collect();
    go(program, 0, &mut left)
}

fn holds(program: &Program, solution: &Solution) {
    let mut used = vec![0; program.gpus.len()];
    let mut cost = 0;
    for (job, &chosen) in solution.chosen.iter().enumerate() {
        if let Some(column) = chosen {
            used[program.columns[column].kind] += program.columns[column].gpus;
            cost += program.costs[job][column];
        }
        assert!(program.kept[job].is_none() || program.kept[job] == chosen);
    }
    assert!(
        used.iter()
            .zip(&program.gpus)
            .all(|(used, gpus)| used <= gpus)
    );
    assert_eq!(cost, solution.cost);
    assert!(solution.bound <= solution.cost);
}

#[test]
fn by_hand() {
    // Two of three jobs fit; the one that gains the least goes without.
    let of = [(0, 1), (0, 2)];
    let three = vec![vec![-10, -13], vec![-7, -30], vec![-6, -9]];
    let solution = solve(&program(&[3], &of, three), &EXACT).expect("sound");
    assert_eq!(solution.chosen, [Some(0), Some(1), None]);
    assert_eq!((solution.cost, solution.bound), (-40, -40));
}

#[test]
fn who_must_keep_keeps_at_any_cost() {
    let mut program = program(&[2], &[(0, 2)], vec![vec![900], vec![-100]]);
    program.kept[0] = Some(0);
    let solution = solve(&program, &EXACT).expect("sound");
    assert_eq!(solution.chosen, [Some(0), None]);
    assert_eq!((solution.cost, solution.bound), (900, 900));
    program.kept[1] = Some(0);
    let error = solve(&program, &EXACT).expect_err("too many");
    assert_eq!(
        error.to_string(),
        "jobs must keep 4 GPUs of type 0, which has 2: let some of them go"
    );
}

#[test]
fn of_equals_the_former_plan_stays() {
    let alike = vec![vec![-10]; 4];
    let mut program = program(&[2], &[(0, 1)], alike);
    program.former = vec![None, Some(0), None, Some(0)];
    let solution = solve(&program, &EXACT).expect("sound");
    assert_eq!(solution.chosen, program.former);
}

#[test]
fn nothing_to_choose() {
    let none = solve(&program(&[], &[], Vec::new()), &EXACT).expect("sound");
    assert_eq!((none.chosen.len(), none.cost), (0, 0));
    let all_bad = solve(&program(&[4], &[(0, 1)], vec![vec![3]]), &EXACT);
    assert_eq!(all_bad.expect("sound").chosen, [None]);
}

#[test]
fn what_is_wrong_is_named() {
    let short = program(&[4], &[(0, 1), (0, 2)], vec![vec![-1]]);
    let error = solve(&short, &EXACT).expect_err("too short").to_string();
    assert_eq!(
        error,
        "job 0 has 1 costs for 2 columns: give each job a cost per column"
    );
    let nowhere = program(&[4], &[(1, 1)], vec![vec![-1]]);
    assert_eq!(solve(&nowhere, &EXACT), Err(ProgramError::Column(0)));
}

#[test]
fn many_alike_jobs_are_solved_exactly() {
    // 160 jobs of four sorts on the paper's cluster: branches that use the same GPUs are one.
    let types = [
        crate::configurations::NodeType::new("aws", 6, 4),
        crate::configurations::NodeType::new("dgx-ext", 2, 8),
        crate::configurations::NodeType::new("rtx", 3, 8),
    ];
    let columns = crate::configurations::configurations(&types);
    let costs = (0..160).map(|job| {
        let cost = |column: &Configuration| {
            let speed = [1.0, 3.0 + f64::from(job % 4), 2.0][column.kind];
            let gain = speed * libm::pow(f64::from(column.gpus), 0.9);
            libm::round(100.0 / libm::sqrt(gain)) as i64 - 110
        };
        columns.iter().map(cost).collect()
    });
    let program = Program {
        costs: costs.collect(),
        gpus: vec![24, 16, 24],
        columns,
        kept: vec![None; 160],
        former: vec![None; 160],
    };
    let solution = solve(
        &program,
        &Effort {
            gap: 0.0,
            ..Effort::default()
        },
    )
    .expect("sound");
    holds(&program, &solution);
    assert_eq!(solution.cost, solution.bound);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn is_the_best_of_all_plans(
        (gpus, of, costs, kept, former) in (1..=3_usize, 1..=5_usize, 1..=5_usize).prop_flat_map(|(kinds, columns, jobs)| (
            proptest::collection::vec(0..7_u32, kinds),
            proptest::collection::vec((0..kinds, 1..5_u32), columns),
            proptest::collection::vec(proptest::collection::vec(-100..30_i64, columns), jobs),
            proptest::collection::vec(proptest::option::weighted(0.1, 0..columns), jobs),
            proptest::collection::vec(proptest::option::weighted(0.5, 0..columns), jobs),
        )),
        few in 1..4_usize,
    ) {
        let mut program = program(&gpus, &of, costs);
        program.kept = kept;
        program.former = former;
        let best = brute_force(&program);
        match solve(&program, &EXACT) {
            Ok(solution) => {
                holds(&program, &solution);
                prop_assert_eq!(Some(solution.cost), best);
                prop_assert_eq!(solution.cost, solution.bound);
                // With few branches it may be worse, and says by how much at most.
                let few = Effort { branches: few, ..EXACT };
                let rough = solve(&program, &few).expect("sound");
                holds(&program, &rough);
                prop_assert!(rough.bound <= solution.cost && solution.cost <= rough.cost);
            }
            Err(error) => {
                let cannot_keep = matches!(error, ProgramError::Kept { .. });
                prop_assert!(cannot_keep && best.is_none());
            }
        }
    }
}
