//! The files of each crate as modules, and which of them need which.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use crate::imports::{Import, code, imports};

/// One crate's files, by module path; the root's is empty.
#[derive(Debug)]
pub struct Crate {
    /// The folder of its sources.
    pub folder: PathBuf,
    modules: BTreeMap<Vec<String>, Vec<Import>>,
}

/// Every crate below a folder, without build folders.
///
/// # Errors
///
/// When a folder or file cannot be read.
pub fn crates(below: &Path) -> io::Result<Vec<Crate>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(below)? {
        let path = entry?.path();
        let hidden = |name: &str| name.starts_with('.') || name == "target";
        if !path.is_dir() || path.file_name().and_then(|n| n.to_str()).is_none_or(hidden) {
            continue;
        }
        let root = ["src/lib.rs", "src/main.rs"].map(|root| path.join(root));
        if root.iter().any(|root| root.exists()) {
            found.push(Crate::read(&path.join("src"))?);
        }
        found.extend(crates(&path)?);
    }
    Ok(found)
}

/// Every Rust file below a folder, without build folders.
///
/// # Errors
///
/// When a folder cannot be read.
pub fn files(below: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(below)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl Crate {
    fn read(folder: &Path) -> io::Result<Self> {
        let mut modules = BTreeMap::new();
        for path in files(folder)? {
            let Ok(below) = path.strip_prefix(folder) else {
                continue;
            };
            let below = below.with_extension("");
            let mut module: Vec<_> = below
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            // Tests may use whatever they test.
            if module
                .iter()
                .any(|part| matches!(part.as_str(), "tests" | "laws"))
            {
                continue;
            }
            let last = module.last().map(String::as_str);
            if last == Some("mod") || module.len() == 1 && matches!(last, Some("lib" | "main")) {
                module.pop();
            }
            modules.insert(module, imports(&code(&fs::read_to_string(&path)?)));
        }
        Ok(Self {
            folder: folder.to_owned(),
            modules,
        })
    }

    /// Groups of files that need each other, each sorted.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let needs: BTreeMap<_, BTreeSet<_>> = self
            .modules
            .iter()
            .map(|(module, imports)| {
                let needed = imports
                    .iter()
                    .filter_map(|import| self.defines(module, &import.path, 0));
                (module, needed.filter(|needed| needed != module).collect())
            })
            .collect();
        let reach = |from: &Vec<String>| {
            let mut reached = BTreeSet::new();
            let mut left: Vec<_> = needs[from].iter().cloned().collect();
            while let Some(next) = left.pop() {
                if reached.insert(next.clone()) {
                    left.extend(needs[&next].iter().cloned());
                }
            }
            reached
        };
        let reached: BTreeMap<_, _> = self
            .modules
            .keys()
            .map(|module| (module, reach(module)))
            .collect();
        let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
        for (module, others) in &reached {
            if others.contains(*module) {
                let both = others
                    .iter()
                    .filter(|other| reached[other].contains(*module));
                groups.insert(
                    both.map(|other| format!("{}::", other.join("::")))
                        .collect(),
                );
            }
        }
        groups.into_iter().collect()
    }

    /// The module that defines what a path names, seen from `from`.
    fn defines(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        if depth > 8 {
            return None;
        }
        let mut at: Vec<String> = from.to_vec();
        let mut words = path.iter();
        match words.next().map(String::as_str) {
            Some("crate") => at.clear(),
            Some("super") => {
                at.pop();
            }
            _ => {}
        }
        let mut words = words.as_slice();
        while let Some((word, rest)) = words.split_first() {
            if word == "super" {
                at.pop();
            } else {
                at.push(word.clone());
                if !self.modules.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
            words = rest;
        }
        // A module named as such: what is used of it is named by other paths.
        let Some(name) = words.first() else {
            return self.modules.contains_key(&at).then_some(at);
        };
        let offered = self
            .modules
            .get(&at)?
            .iter()
            .find(|import| import.offers && import.name == *name);
        match offered {
            Some(import) => self.defines(&at, &import.path, depth + 1),
            None => Some(at),
        }
    }
}
