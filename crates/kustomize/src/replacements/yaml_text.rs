//! YAML text that is written again after a change, with its comments.
//!
//! The tree holds neither comments nor flow style. Where the text has them, the old tree is printed as well: if that gives
//! the old text but for the comments, the lines that the change touched are exchanged, and all others kept.

use std::fmt::Write as _;

use millrace_yaml::Node;

use crate::syntax;

/// A line of the old text.
struct Line<'t> {
    content: &'t str,
    comment: Option<&'t str>,
}

/// The text of `new` in the form of `text`, which reads as `old`; `None` where that form cannot be kept.
pub(super) fn rewrite(text: &str, old: &Node, new: &Node) -> Option<String> {
    let printed = syntax::print_styled(new);
    let printed = printed.trim();
    let lines: Vec<Line<'_>> = text.trim().lines().map(split_comment).collect();
    let has_comments = lines.iter().any(|line| line.comment.is_some());
    if !has_comments && !text.contains(['{', '[', '&', '*']) {
        return Some(printed.to_owned());
    }
    let before = syntax::print_styled(old);
    let before: Vec<&str> = before.trim().lines().collect();
    let contents = lines.iter().map(|line| line.content).filter(|content| !content.is_empty());
    if !contents.eq(before.iter().copied()) {
        return None;
    }
    Some(if has_comments {
        exchange(&lines, &before, &printed.lines().collect::<Vec<&str>>())
    } else {
        printed.to_owned()
    })
}

/// The old lines, those between the first and the last that differ exchanged.
fn exchange(lines: &[Line<'_>], before: &[&str], after: &[&str]) -> String {
    let same = |(left, right): &(&&str, &&str)| left == right;
    let head = before.iter().zip(after).take_while(same).count();
    let shorter = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(same).count().min(shorter);
    let (changed, new) = (head..before.len() - tail, &after[head..after.len() - tail]);
    let one_to_one = changed.len() == new.len();
    let mut out = String::new();
    let insert = |out: &mut String| {
        for line in new {
            let _ = writeln!(out, "{line}");
        }
    };
    if changed.end == 0 {
        insert(&mut out);
    }
    let mut number = 0;
    for line in lines {
        if line.content.is_empty() {
            // A comment of its own; blank lines are not kept.
            if let Some(comment) = line.comment {
                let _ = writeln!(out, "{comment}");
            }
            continue;
        }
        let comment = line.comment.map(|comment| format!(" {}", comment.trim())).unwrap_or_default();
        if !changed.contains(&number) {
            let _ = writeln!(out, "{}{comment}", line.content);
        } else if one_to_one {
            let _ = writeln!(out, "{}{comment}", new[number - head]);
        }
        number += 1;
        if number == changed.end && !one_to_one {
            insert(&mut out);
        }
    }
    out.trim().to_owned()
}

/// A line without its comment, and the comment with what stands before it where it is alone.
fn split_comment(line: &str) -> Line<'_> {
    if line.trim_start().starts_with('#') {
        return Line { content: "", comment: Some(line.trim_end()) };
    }
    let mut quote = None;
    let mut before = ' ';
    for (position, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '#') if before == ' ' || before == '\t' => {
                return Line { content: line[..position].trim_end(), comment: Some(&line[position..]) };
            }
            (None, '"' | '\'') if matches!(before, ' ' | '\t') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None | Some(_), _) => {}
        }
        before = letter;
    }
    Line { content: line.trim_end(), comment: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Node {
        syntax::read_config(text).expect("the text is YAML")
    }

    #[test]
    fn comments_stay_where_lines_stay() {
        let text = "# head\ndb:\n  host: old # why\n  port: 5\n";
        let rewritten = rewrite(text, &tree(text), &tree("db:\n  host: new\n  port: 5\n"));
        assert_eq!(rewritten.as_deref(), Some("# head\ndb:\n  host: new # why\n  port: 5"));
        let longer = rewrite(text, &tree(text), &tree("db:\n  host: old\n  port: 5\n  tls: true\n"));
        assert_eq!(longer.as_deref(), Some("# head\ndb:\n  host: old # why\n  port: 5\n  tls: true"));
    }

    #[test]
    fn a_form_that_cannot_be_kept_is_refused() {
        for text in ["a: {b: c} # d", "a:   b # c", "# c\na: |\n  # d\n"] {
            assert_eq!(rewrite(text, &tree(text), &tree("a: x")), None, "{text}");
        }
    }
}
