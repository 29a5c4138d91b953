//! `%YAML` and `%TAG`.

use std::collections::HashMap;

use crate::read::scan::{Fault, Mark, Scanner, TokenKind};

/// What the handles of a document's tags stand for.
#[derive(Default)]
pub(in crate::read) struct Handles<'a> {
    prefixes: HashMap<&'a str, Box<str>>,
}

impl<'a> Handles<'a> {
    /// Takes the directives before a document.
    pub(in crate::read) fn read(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Fault> {
        let mut versioned = false;
        while let TokenKind::VersionDirective { .. } | TokenKind::TagDirective { .. } = scanner.peek()?.kind {
            let Some(token) = scanner.take() else { break };
            let fault = |problem| Err(Fault::parser(Mark::default(), token.start, problem));
            match token.kind {
                TokenKind::VersionDirective { .. } if versioned => {
                    return fault("found duplicate %YAML directive");
                }
                TokenKind::VersionDirective { major: 1, minor: 1 } => versioned = true,
                TokenKind::TagDirective { handle, prefix } => {
                    if self.prefixes.insert(handle, prefix).is_some() {
                        return fault("found duplicate %TAG directive");
                    }
                }
                _ => return fault("found incompatible YAML document"),
            }
        }
        self.prefixes.entry("!").or_insert_with(|| "!".into());
        self.prefixes.entry("!!").or_insert_with(|| "tag:yaml.org,2002:".into());
        Ok(())
    }

    /// What `handle` stands for; a tag without one is complete. `start` is where the node starts, `mark` where its tag does.
    pub(in crate::read) fn prefix(&self, handle: &str, start: Mark, mark: Mark) -> Result<&str, Fault> {
        if handle.is_empty() {
            return Ok("");
        }
        let prefix = self.prefixes.get(handle).map(AsRef::as_ref);
        prefix.ok_or_else(|| Fault::parser(start, mark, "found undefined tag handle"))
    }
}
