//! Makes a program of the page smaller to fetch, after Trunk: short names between its wasm file and
//! its script, and a script without comments and indentation.
//!
//! wasm-bindgen gives every import a name that ends in 16 digits of a hash, which no compression
//! shrinks, and writes it into both files: that is 2 % of what the page weighs.
//!
//! Source: WebAssembly Core Specification 2.0, sections 5.5.2 (sections), 5.5.5 (imports) and
//! 5.5.10 (exports).

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;
const FUNCTION: u8 = 0;

/// Rewrites a script of wasm-bindgen's and the wasm file that it starts.
pub(crate) fn shrink(script: &Path, wasm: &Path) -> Result<()> {
    let text = shell::read(script)?;
    let mut names = Names::new(&text);
    let short = rename(&shell::read_bytes(wasm)?, &mut names)
        .with_context(|| format!("cannot read {}", wasm.display()))?;
    shell::write(wasm, short)?;
    let text = with_words(&text, |word| names.short.get(word).map(String::as_str));
    shell::write(script, without_comments(&text)?)
}

/// The short names that were given, by the long ones.
struct Names<'s> {
    script: &'s str,
    short: BTreeMap<String, String>,
}

impl<'s> Names<'s> {
    fn new(script: &'s str) -> Self {
        Self {
            script,
            short: BTreeMap::new(),
        }
    }

    /// What a name becomes; only those that wasm-bindgen made up change.
    fn give(&mut self, name: &str) -> Result<String> {
        if !(name.starts_with("__") || name.starts_with("wasm_bindgen__")) {
            return Ok(name.to_owned());
        }
        if let Some(short) = self.short.get(name) {
            return Ok(short.clone());
        }
        let short = format!("${}", self.short.len());
        ensure!(
            !words(self.script).any(|word| word == short),
            "the script of wasm-bindgen uses {short} itself"
        );
        self.short.insert(name.to_owned(), short.clone());
        Ok(short)
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn words(script: &str) -> impl Iterator<Item = &str> {
    script.split(|c| !is_of_word(c)).filter(|w| !w.is_empty())
}

/// The script with some of its words replaced.
fn with_words<'n>(script: &str, new: impl Fn(&str) -> Option<&'n str>) -> String {
    let mut result = String::with_capacity(script.len());
    for part in script.split_inclusive(|c| !is_of_word(c)) {
        let word = part.trim_end_matches(|c| !is_of_word(c));
        result.push_str(new(word).unwrap_or(word));
        result.push_str(&part[word.len()..]);
    }
    result
}

/// The script without comments on lines of their own, indentation and empty lines.
fn without_comments(script: &str) -> Result<String> {
    let lines = script.lines().map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with(['*']));
    let code = code.filter(|line| !line.starts_with("//") && !line.starts_with("/*"));
    let mut result = String::with_capacity(script.len());
    for line in code {
        ensure!(
            line.matches('`').count() % 2 == 0,
            "a text of wasm-bindgen's script goes over several lines: {line}"
        );
        result.push_str(line);
        result.push('\n');
    }
    Ok(result)
}

/// The module with other names for the functions that it imports, and for what it exports.
fn rename(wasm: &[u8], names: &mut Names) -> Result<Vec<u8>> {
    let mut module = Reader(wasm);
    let mut result = module.take(8)?.to_vec();
    while !module.0.is_empty() {
        let id = module.byte()?;
        let size = module.number()?;
        let mut section = Reader(module.take(size as usize)?);
        let content = match id {
            IMPORTS => imports(&mut section, names)?,
            EXPORTS => exports(&mut section, names)?,
            _ => section.0.to_vec(),
        };
        result.push(id);
        write_bytes(&mut result, &content)?;
    }
    Ok(result)
}

fn imports(section: &mut Reader, names: &mut Names) -> Result<Vec<u8>> {
    let mut result = Vec::new();
    let count = section.number()?;
    write_number(&mut result, count);
    for _ in 0..count {
        write_bytes(&mut result, section.bytes()?)?;
        let name = names.give(section.name()?)?;
        write_bytes(&mut result, name.as_bytes())?;
        let kind = section.byte()?;
        if kind != FUNCTION {
            bail!("{name} is imported, and no function");
        }
        result.push(kind);
        write_number(&mut result, section.number()?);
    }
    Ok(result)
}

fn exports(section: &mut Reader, names: &mut Names) -> Result<Vec<u8>> {
    let mut result = Vec::new();
    let count = section.number()?;
    write_number(&mut result, count);
    for _ in 0..count {
        let name = names.give(section.name()?)?;
        write_bytes(&mut result, name.as_bytes())?;
        result.push(section.byte()?);
        write_number(&mut result, section.number()?);
    }
    Ok(result)
}

/// What is left to read of a binary module.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).context("it ends early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> Result<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return u32::try_from(number).context("a number is too large");
            }
        }
        bail!("a number is too long")
    }

    /// Bytes with their count before them.
    fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = self.number()?;
        self.take(count as usize)
    }

    fn name(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).context("a name is no text")
    }
}

fn write_number(to: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn write_bytes(to: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    write_number(to, u32::try_from(bytes.len())?);
    to.extend_from_slice(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(id: u8, content: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![id];
        write_bytes(&mut bytes, &content.concat()).expect("short");
        bytes
    }

    /// Imports `import` as a function, exports it and a memory.
    fn module(import: &str, export: &str) -> Vec<u8> {
        let name = |name: &str| {
            let mut bytes = Vec::new();
            write_bytes(&mut bytes, name.as_bytes()).expect("short");
            bytes
        };
        let imports = [&[1][..], &name("./m.js"), &name(import), &[FUNCTION, 0]];
        let exports = [&[2][..], &name("memory"), &[2, 0], &name(export), &[0, 0]];
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[&[1, 0x60, 0, 0]]),
            section(IMPORTS, &imports),
            section(EXPORTS, &exports),
        ]
        .concat()
    }

    #[test]
    fn both_sides_get_the_same_names() {
        // Longer than 127 bytes, so that lengths take two.
        let long = format!("__wbg_log_{}", "0123456789abcdef".repeat(8));
        let script = format!("imports = {{ {long}: f }}; wasm.__start(); wasm.memory; __startle");
        let mut names = Names::new(&script);
        let renamed = rename(&module(&long, "__start"), &mut names).expect("sound");
        assert_eq!(renamed, module("$0", "$1"));
        let script = with_words(&script, |word| names.short.get(word).map(String::as_str));
        assert_eq!(
            script,
            "imports = { $0: f }; wasm.$1(); wasm.memory; __startle"
        );
    }

    #[test]
    fn names_in_use_are_not_given() {
        let mut names = Names::new("let $0 = 1;");
        assert!(rename(&module("__wbg_log", "main"), &mut names).is_err());
    }

    #[test]
    fn damaged_modules_are_refused() {
        let whole = module("__wbg_log", "main");
        for end in 9..whole.len() {
            let cut = rename(&whole[..end], &mut Names::new(""));
            // Cut between two sections it is a module still.
            assert!(cut.is_err() || [14, 36].contains(&end), "{end}");
        }
    }

    #[test]
    fn code_stays() {
        let script = "/** A.\n * B.\n */\n  // C\n  f(`a  b`); // d\n\n  \"//\";\n";
        assert_eq!(
            without_comments(script).expect("no texts over lines"),
            "f(`a  b`); // d\n\"//\";\n"
        );
        assert!(without_comments("`a\n  b`").is_err());
    }
}
