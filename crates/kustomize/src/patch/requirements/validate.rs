//! What may be a label's key and value.

use crate::go::quote;

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
     character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const DOMAIN: &str = "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
     and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LONGEST_NAME: usize = 63;
const LONGEST_DOMAIN: usize = 253;

pub(super) fn check_key(key: &str) -> Result<(), String> {
    let problems = match key.split('/').collect::<Vec<_>>()[..] {
        [name] => of_name(name),
        [domain, name] => [of_domain(domain), of_name(name)].concat(),
        _ => vec![format!(
            "a qualified name {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )],
    };
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("invalid label key {}: {}", quote(key), problems.join("; ")))
}

pub(super) fn check_value(key: &str, value: &str) -> Result<(), String> {
    let mut problems = Vec::from_iter(too_long(value, LONGEST_NAME));
    if !value.is_empty() && !is_name(value) {
        problems.push(VALUE.to_owned());
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("invalid label value: {}: at key: {}: {}", quote(value), quote(key), problems.join("; ")))
}

fn of_name(name: &str) -> Vec<String> {
    let length =
        if name.is_empty() { Some("must be non-empty".to_owned()) } else { too_long(name, LONGEST_NAME) };
    let form = (!is_name(name)).then(|| NAME.to_owned());
    length.into_iter().chain(form).map(|problem| format!("name part {problem}")).collect()
}

fn of_domain(domain: &str) -> Vec<String> {
    if domain.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    let is_part = |part: &str| is_edged(part, |letter| matches!(letter, 'a'..='z' | '0'..='9'), "-");
    let form = (!domain.split('.').all(is_part)).then(|| DOMAIN.to_owned());
    too_long(domain, LONGEST_DOMAIN)
        .into_iter()
        .chain(form)
        .map(|problem| format!("prefix part {problem}"))
        .collect()
}

fn too_long(text: &str, longest: usize) -> Option<String> {
    (text.len() > longest).then(|| format!("must be no more than {longest} characters"))
}

fn is_name(text: &str) -> bool {
    is_edged(text, |letter| letter.is_ascii_alphanumeric(), "-_.")
}

/// Whether such characters stand at both ends, and nothing but them and `inner` between.
fn is_edged(text: &str, edge: impl Fn(char) -> bool, inner: &str) -> bool {
    text.starts_with(&edge)
        && text.ends_with(&edge)
        && text.chars().all(|letter| edge(letter) || inner.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_of_a_key_is_named() {
        for (key, problems) in [
            ("a.b/C_d", vec![]),
            ("-a", vec![format!("name part {NAME}")]),
            ("/a", vec!["prefix part must be non-empty".to_owned()]),
            (
                "A.b/",
                vec![
                    format!("prefix part {DOMAIN}"),
                    "name part must be non-empty".to_owned(),
                    format!("name part {NAME}"),
                ],
            ),
        ] {
            let expected = format!("invalid label key {}: {}", quote(key), problems.join("; "));
            assert_eq!(check_key(key).err(), (!problems.is_empty()).then_some(expected), "{key}");
        }
    }
}
