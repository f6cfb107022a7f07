//! Which file of a crate needs which, and who needs one another.
//!
//! An arrow goes from a file to the file that defines what it names: in a `use`, or in a path within code. A name that a
//! module hands on (`pub use`) is followed to where it is defined, and handing on is no need. What only tests name does
//! not count, nor do methods, which need no import, nor what a macro puts together out of its input.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

/// A module of a crate.
#[derive(Default)]
struct Module {
    /// Its file, by its place among the sources.
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// What is defined here.
    items: BTreeSet<String>,
    /// What is imported or handed on, by the name that it has here.
    imports: BTreeMap<String, Import>,
    /// The modules of which all is.
    globs: Vec<Import>,
    /// Every path that is written here.
    paths: Vec<Vec<String>>,
}

/// What a `use` brings.
#[derive(Clone)]
struct Import {
    path: Vec<String>,
    /// Whether it is for others: `pub use`.
    is_handed_on: bool,
}

/// The sources of a crate.
#[derive(Default)]
pub(crate) struct Sources {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
}

/// Reads a source.
pub(crate) type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

impl Sources {
    /// The crate whose first file this is.
    pub(crate) fn of(first: &Path, read: Read) -> Self {
        let mut sources = Self::default();
        let folder = first.parent().expect("it lies in a folder");
        sources.file(first, folder, None, read);
        sources
    }

    /// Reads a file as a module, whose children lie in this folder.
    fn file(&mut self, path: &Path, folder: &Path, parent: Option<usize>, read: Read) -> usize {
        let text = read(path).unwrap_or_else(|| panic!("there is {}", path.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self.files.push(path.to_owned());
        self.module(&parsed.items, self.files.len() - 1, folder, parent, read)
    }

    fn module(
        &mut self,
        items: &[Item],
        file: usize,
        folder: &Path,
        parent: Option<usize>,
        read: Read,
    ) -> usize {
        let at = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            ..Module::default()
        });
        let mut found = Found::default();
        for item in items {
            found.visit_item(item);
        }
        for child in &found.children {
            let name = child.ident.to_string();
            let below = folder.join(&name);
            let module = if let Some((_, items)) = &child.content {
                self.module(items, file, &below, Some(at), read)
            } else {
                let beside = folder.join(format!("{name}.rs"));
                let path = match written_path(&child.attrs) {
                    Some(path) => self.files[file].with_file_name(path),
                    None if read(&beside).is_some() => beside,
                    None => below.join("mod.rs"),
                };
                self.file(&path, &below, Some(at), read)
            };
            self.modules[at].children.insert(name, module);
        }
        let module = &mut self.modules[at];
        module.items = found.items;
        module.imports = found.imports.into_iter().collect();
        module.globs = found.globs;
        module.paths = found.paths;
        at
    }

    /// The file that defines what a path names, if it is of this crate.
    fn defined(&self, path: &[String], from: usize, depth: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        // Imports that go round in a circle of names end here.
        if depth > 20 {
            return None;
        }
        let (mut at, mut rest) = match first.as_str() {
            "crate" => (0, rest),
            "self" => (from, rest),
            "super" => (self.modules[from].parent?, rest),
            _ => (from, path),
        };
        while let Some((name, below)) = rest.split_first() {
            let module = &self.modules[at];
            if name == "super" {
                at = module.parent?;
            } else if let Some(child) = module.children.get(name) {
                at = *child;
            } else if let Some(import) = module.imports.get(name) {
                let whole: Vec<String> = import.path.iter().chain(below).cloned().collect();
                // `use name::…` names a crate, not itself.
                let is_itself = import.path[0] == *name;
                return if is_itself {
                    None
                } else {
                    self.defined(&whole, at, depth + 1)
                };
            } else if module.items.contains(name) {
                return Some(module.file);
            } else {
                return module.globs.iter().find_map(|glob| {
                    let first = &glob.path[0];
                    let is_ours = ["crate", "self", "super"].contains(&first.as_str())
                        || module.children.contains_key(first)
                        || module.items.contains(first);
                    let whole: Vec<String> = glob.path.iter().chain(rest).cloned().collect();
                    is_ours.then(|| self.defined(&whole, at, depth + 1))?
                });
            }
            rest = below;
        }
        Some(self.modules[at].file)
    }

    /// From which file to which one an arrow goes, and a path that says so.
    fn arrows(&self) -> BTreeMap<(usize, usize), String> {
        let mut arrows = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            let imports = module.imports.values().chain(&module.globs);
            let needed = imports.filter(|import| !import.is_handed_on);
            for path in needed.map(|import| &import.path).chain(&module.paths) {
                if let Some(to) = self.defined(path, at, 0).filter(|to| *to != module.file) {
                    let first = arrows.entry((module.file, to));
                    first.or_insert_with(|| path.join("::"));
                }
            }
        }
        arrows
    }

    /// Files that reach each other, with the arrows among them, a text each.
    pub(crate) fn circles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let count = self.files.len();
        let reached: Vec<BTreeSet<usize>> = (0..count)
            .map(|from| {
                let mut seen = BTreeSet::new();
                let mut open = vec![from];
                while let Some(at) = open.pop() {
                    for ((_, to), _) in arrows.range((at, 0)..(at + 1, 0)) {
                        if seen.insert(*to) {
                            open.push(*to);
                        }
                    }
                }
                seen
            })
            .collect();
        let mut told = BTreeSet::new();
        let mut circles = Vec::new();
        for file in 0..count {
            if !reached[file].contains(&file) || told.contains(&file) {
                continue;
            }
            let of =
                |other: &usize| reached[file].contains(other) && reached[*other].contains(&file);
            let members: BTreeSet<usize> = (0..count).filter(of).collect();
            let mut lines = vec![format!("a circle of {} files", members.len())];
            for ((from, to), path) in &arrows {
                if members.contains(from) && members.contains(to) {
                    let name = |at: usize| self.files[at].display();
                    lines.push(format!("  {} → {}: {path}", name(*from), name(*to)));
                }
            }
            told.extend(members);
            circles.push(lines.join("\n"));
        }
        circles
    }
}

/// What is found in the items of a module.
#[derive(Default)]
struct Found {
    children: Vec<ItemMod>,
    items: BTreeSet<String>,
    imports: Vec<(String, Import)>,
    globs: Vec<Import>,
    paths: Vec<Vec<String>>,
}

impl Found {
    fn import(&mut self, tree: &UseTree, before: &[String], is_handed_on: bool) {
        let of = |path| Import { path, is_handed_on };
        let with = |name: &syn::Ident| {
            let mut path = before.to_vec();
            if name != "self" || before.is_empty() {
                path.push(name.to_string());
            }
            path
        };
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), is_handed_on),
            UseTree::Name(name) => {
                let path = with(&name.ident);
                let last = path.last().cloned().unwrap_or_default();
                self.imports.push((last, of(path)));
            }
            UseTree::Rename(name) => {
                let path = with(&name.ident);
                let new = name.rename.to_string();
                // `use x as _` brings methods alone.
                let new = if new == "_" {
                    format!("_ {}", path.join("::"))
                } else {
                    new
                };
                self.imports.push((new, of(path)));
            }
            UseTree::Glob(_) => self.globs.push(of(before.to_vec())),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, is_handed_on);
                }
            }
        }
    }

    /// Paths within a macro's input, whose meaning only the macro knows.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(of) if of.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if colons != 2 || path.is_empty() {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(name);
                    colons = 0;
                }
                other => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(path);
    }

    /// A name alone is a local variable or imported.
    fn path(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            self.paths.push(path);
        }
    }
}

/// Where a module's file lies, if it says so.
fn written_path(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let syn::Meta::NameValue(of) = &attribute.meta else {
            return None;
        };
        match &of.value {
            syn::Expr::Lit(literal) if of.path.is_ident("path") => match &literal.lit {
                syn::Lit::Str(path) => Some(path.value()),
                _ => None,
            },
            _ => None,
        }
    })
}

/// Whether what follows is for tests.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all (test"))
    })
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item(&mut self, item: &'ast Item) {
        let (name, attributes) = match item {
            Item::Const(of) => (Some(&of.ident), &of.attrs),
            Item::Enum(of) => (Some(&of.ident), &of.attrs),
            Item::Fn(of) => (Some(&of.sig.ident), &of.attrs),
            Item::Static(of) => (Some(&of.ident), &of.attrs),
            Item::Struct(of) => (Some(&of.ident), &of.attrs),
            Item::Trait(of) => (Some(&of.ident), &of.attrs),
            Item::Type(of) => (Some(&of.ident), &of.attrs),
            Item::Union(of) => (Some(&of.ident), &of.attrs),
            Item::Macro(of) => (of.ident.as_ref(), &of.attrs),
            Item::Impl(of) => (None, &of.attrs),
            Item::Mod(of) => (None, &of.attrs),
            Item::Use(of) => (None, &of.attrs),
            _ => return,
        };
        if is_of_tests(attributes) {
            return;
        }
        self.items.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.children.push(module.clone());
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_handed_on = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &[], is_handed_on);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if item.ident.is_none() {
            visit::visit_item_macro(self, item);
        }
    }

    fn visit_macro(&mut self, of: &'ast syn::Macro) {
        self.visit_path(&of.path);
        self.tokens(of.tokens.clone());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        self.path(segments.map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// Whoever may see something is not used by it.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}
