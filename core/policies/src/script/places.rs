//! Where in a text a mistake is to which Rhai gives no place: functions and constants, by their names; and what is
//! suspected of having no end, since a limit is told of nothing but the outermost call.

use rhai::{AST, ASTNode, EvalAltResult, Expr, Position, Stmt, StmtBlock};

/// Where a function stands in a text.
pub(super) fn head(text: &str, name: &str) -> Position {
    for (row, line) in (1u16..).zip(text.lines()) {
        let found = line.match_indices("fn ").map(|(at, _)| at).find(|&at| {
            let rest = line[at + 3..].trim_start();
            rest.strip_prefix(name)
                .is_some_and(|rest| rest.trim_start().starts_with('('))
        });
        if let Some(at) = found {
            return Position::new(row, u16::try_from(at + 1).unwrap_or(1));
        }
    }
    Position::NONE
}

/// Where a constant or variable at the top of a script gets its value; the last of that name counts.
pub(super) fn constant(script: &AST, name: &str) -> Position {
    let statements = script.statements().iter();
    let mut found = statements.filter_map(|statement| match statement {
        Stmt::Var(of, _, at) if of.0.name == name => Some(*at),
        _ => None,
    });
    found.next_back().unwrap_or(Position::NONE)
}

/// What may have no end.
pub(super) struct Suspects {
    /// The loop that looks most as if it had none.
    endless: Option<Position>,
    /// A call of a function within itself.
    recursion: Option<Position>,
}

impl Suspects {
    pub(super) fn of(script: &AST) -> Self {
        Self {
            endless: endless(script),
            recursion: recursion(script),
        }
    }

    /// The one that a limit was reached by.
    pub(super) fn at(&self, error: &EvalAltResult) -> Option<Position> {
        match error {
            EvalAltResult::ErrorStackOverflow(_) => self.recursion,
            _ => self.endless,
        }
    }
}

/// The first loop in which nothing stands; else the first that is never left; else one that goes on as long
/// as something holds; else the first of all.
fn endless(script: &AST) -> Option<Position> {
    let mut best: Option<(u32, Position)> = None;
    script.walk(&mut |path: &[ASTNode<'_>]| {
        let (body, at, for_ever) = match path.last() {
            Some(ASTNode::Stmt(Stmt::While(of, at))) => (
                &of.body,
                *at,
                matches!(of.expr, Expr::Unit(_) | Expr::BoolConstant(true, _)),
            ),
            Some(ASTNode::Stmt(Stmt::Do(of, _, at))) => (&of.body, *at, false),
            Some(ASTNode::Stmt(Stmt::For(of, at))) => (&of.2.body, *at, false),
            _ => return true,
        };
        let is_for = matches!(path.last(), Some(ASTNode::Stmt(Stmt::For(..))));
        let is_left = |of: &Stmt| matches!(of, Stmt::BreakLoop(..) | Stmt::Return(..));
        let doubt = match () {
            () if body.is_empty() => 3,
            () if for_ever && !holds(body, is_left) => 2,
            () if !is_for => 1,
            () => 0,
        };
        if best.is_none_or(|(most, _)| doubt > most) {
            best = Some((doubt, at));
        }
        true
    });
    best.map(|(_, at)| at)
}

/// Where a function first calls itself.
fn recursion(script: &AST) -> Option<Position> {
    script.iter_functions().find_map(|function| {
        let mut alone = script.clone_functions_only();
        alone.retain_functions(|_, _, name, _| name == function.name);
        let mut found = None;
        alone.walk(&mut |path: &[ASTNode<'_>]| {
            found = match path.last() {
                Some(
                    ASTNode::Expr(Expr::FnCall(call, at)) | ASTNode::Stmt(Stmt::FnCall(call, at)),
                ) if call.name == function.name => Some(*at),
                _ => None,
            };
            found.is_none()
        });
        found
    })
}

/// Whether one of a block's statements is such.
fn holds(block: &StmtBlock, is: impl Fn(&Stmt) -> bool) -> bool {
    let has_none = |path: &[ASTNode<'_>]| !matches!(path.last(), Some(ASTNode::Stmt(of)) if is(of));
    let mut statements = block.statements().iter();
    statements.any(|statement| !statement.walk(&mut Vec::new(), &mut |path| has_none(path)))
}
