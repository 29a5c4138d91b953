//! Where a path into an object ends.

use millrace_yaml::{Map, Node, Scalar};

use super::near::{listed, nearest, quoted, shown};
use super::syntax_errors;
use crate::annotations::INTERNAL_PREFIX;
use crate::syntax;

/// What comes next in a pointer where a list is reached.
const BY_NUMBER: &str = "the number of an item, from 0,";
/// What comes next in a field path there.
const BY_ITEM: &str = "a number or '[name=…]'";
/// What does where it is written to.
const BY_ITEMS: &str = "a number, '*' or '[name=…]'";
/// Parts of a path that are put together to one key.
const JOINED: usize = 8;

/// Where a path ends.
struct End {
    says: String,
    /// Whether a field is missing in a map, and none of that is near.
    is_absent: bool,
}

impl End {
    fn new(says: String) -> Self {
        Self { says, is_absent: false }
    }
}

/// How a field path is followed.
#[derive(Clone, Copy)]
struct Walk<'w> {
    /// What the path begins in.
    top: &'w str,
    /// Whether it goes on in text that is YAML.
    in_text: bool,
    /// Whether the fields that are there may be named.
    names: bool,
}

impl Walk<'_> {
    /// What comes next where a list is reached.
    fn by_item(self) -> &'static str {
        if self.in_text { BY_ITEMS } else { BY_ITEM }
    }
}

/// Where a JSON pointer ends, and what is there; nothing if it leads somewhere.
pub(crate) fn missing_pointer(object: &Node, pointer: &str) -> Option<String> {
    let (mut at, mut reached) = (object, 0);
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let child = match at {
            Node::Map(map) => map.get(&name).filter(|child| !is_internal(child)),
            Node::List(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            Node::Scalar(_) => None,
        };
        let Some(child) = child else {
            let End { says, .. } =
                ends(at, &place(&pointer[..reached], "the object"), &name, true, BY_NUMBER);
            return Some(match key_with_slash(pointer) {
                Some(key) => format!("{says}; {key}"),
                None => says,
            });
        };
        at = child;
        reached += 1 + part.len();
    }
    None
}

/// That a pointer leads into what holds text alone, so that its last parts are meant as one key.
pub(super) fn key_with_slash(pointer: &str) -> Option<String> {
    let fields = ["/metadata/annotations/", "/metadata/labels/", "/matchLabels/", "/nodeSelector/"];
    let key = fields.into_iter().find_map(|field| Some(pointer.split_once(field)?.1))?;
    key.contains('/').then(|| format!("a '/' in a key is written '~1': {}", quoted(&key.replace('/', "~1"))))
}

/// Where the parts of a field path end, and what is there; nothing if that isn't clear.
pub(crate) fn missing_field(object: &Node, parts: &[String]) -> Option<String> {
    let walk = Walk { top: "the object", in_text: false, names: true };
    with_slashes(object, parts).or_else(|| field_end(object, parts, walk).map(|end| end.says))
}

/// What is wrong with a path that has slashes where dots belong, if it leads somewhere with dots.
fn with_slashes(object: &Node, parts: &[String]) -> Option<String> {
    let [path] = parts else { return None };
    if !path.contains('/') {
        return None;
    }
    let inner: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    if inner.is_empty() {
        return None;
    }
    inner.iter().try_fold(object, |node, part| match node {
        Node::Map(map) => map.get(part),
        Node::List(items) => items.get(part.parse::<usize>().ok()?),
        Node::Scalar(_) => None,
    })?;
    Some(format!(
        "{} is the name of one field: dots stand between the parts of a path, as in {}",
        quoted(path),
        quoted(&escaped(&inner))
    ))
}

/// Like [`missing_field`], of a path that is written to: it goes on in text, and may make what is missing.
pub(crate) fn missing_target(object: &Node, parts: &[String], makes: bool) -> Option<String> {
    // What stands in the text of a secret is secret.
    let names = object.str_at(&["kind"]) != Some("Secret");
    if let Some(says) = with_slashes(object, parts) {
        return Some(says);
    }
    let End { says, is_absent } = field_end(object, parts, Walk { top: "the object", in_text: true, names })?;
    let is_one = !parts.iter().any(|part| part == "*" || bracketed(part).is_some());
    Some(if is_absent && is_one && !makes {
        format!("{says}; options: {{create: true}} makes it")
    } else {
        says
    })
}

fn field_end(object: &Node, parts: &[String], walk: Walk<'_>) -> Option<End> {
    let mut at = object;
    for (index, part) in parts.iter().enumerate() {
        let reached = || place(&escaped(&parts[..index]), walk.top);
        let names = walk.names || walk.in_text;
        let selected = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')?.split_once('='));
        let child = match (at, selected) {
            (Node::Map(map), None) => map.get(part).filter(|child| !is_internal(child)),
            (Node::List(items), None) if part.parse::<usize>().is_ok() => {
                part.parse::<usize>().ok().and_then(|index| items.get(index))
            }
            (Node::List(items), Some((field, value))) => {
                let found = items.iter().find(|item| text(item, field) == Some(value));
                if found.is_none() {
                    return Some(End::new(without_item(items, &reached(), (field, value), names)));
                }
                found
            }
            // What these select is not one value.
            (Node::List(_), None) if part == "*" && walk.in_text || part == "-" => return None,
            (Node::Map(_), Some(_)) => return None,
            (Node::Scalar(scalar), _) if walk.in_text && index > 0 => {
                return text_end(scalar.text(), &reached(), &parts[index..], walk);
            }
            (Node::List(_) | Node::Scalar(_), _) => None,
        };
        let Some(child) = child else {
            if let Some(says) = unfit_part(at, part, &reached())
                .or_else(|| in_brackets(at, &parts[index..], &reached(), walk))
            {
                return Some(End::new(says));
            }
            let dotted = at.as_map().filter(|_| names).and_then(|map| dotted_key(map, &parts[index..]));
            return Some(match dotted {
                Some(key) => End::new(format!(
                    "{} has no {}: the key {} is written {}",
                    reached(),
                    quoted(part),
                    quoted(&key),
                    quoted(&escaped(std::slice::from_ref(&key)))
                )),
                None => ends(at, &reached(), part, names, walk.by_item()),
            });
        };
        at = child;
    }
    None
}

/// Where a path ends in text that is to be YAML.
fn text_end(text: &str, place: &str, rest: &[String], walk: Walk<'_>) -> Option<End> {
    match syntax::read_config(text) {
        Ok(Node::Scalar(_)) => Some(End::new(format!("{place} is a value with nothing below it"))),
        Ok(node) => {
            let End { says, is_absent } = field_end(&node, rest, Walk { top: "it", in_text: false, ..walk })?;
            Some(End { says: format!("in the text of {place}, {says}"), is_absent })
        }
        Err(error) => {
            let cause = syntax_errors::cause(text, true, error.line, &error.text);
            let line = cause.line.map(|line| format!("line {line} of it: ")).unwrap_or_default();
            let why = cause.text;
            Some(End::new(format!(
                "the text of {place} is not YAML: {line}{}",
                why.trim_start_matches("not YAML: ")
            )))
        }
    }
}

/// Why a part of a path leads nowhere whatever the map there holds.
fn unfit_part(at: &Node, part: &str, reached: &str) -> Option<String> {
    at.as_map()?;
    match part {
        "" => Some(format!("a part of the path is empty, where {reached} is reached")),
        "*" => Some(format!("{reached} is a map: '*' stands for the items of a list")),
        _ => None,
    }
}

/// What is to stand for a part that ends with brackets, where those belong to a field: dots may have divided what is in them.
fn in_brackets(at: &Node, parts: &[String], reached: &str, walk: Walk<'_>) -> Option<String> {
    let map = at.as_map()?;
    let mut joined = (1..=parts.len().min(JOINED)).map(|count| parts[..count].join("."));
    let part = joined.find(|part| part.ends_with(']'))?;
    let (field, item) = bracketed(&part).filter(|_| parts[0].contains('['))?;
    let Some(holder) = map.get(field) else {
        return Some(ends(at, reached, field, walk.names || walk.in_text, BY_ITEM).says);
    };
    let missing = format!("{reached} has no {}", quoted(&part));
    let is_selection = item.contains('=');
    match holder {
        Node::List(_) if is_selection => {
            let dotted = quoted(&format!("{field}.[{item}]"));
            Some(format!("{missing}: a '.' is missing before '[': {dotted}"))
        }
        Node::List(_) if item.parse::<usize>().is_ok() => {
            let dotted = quoted(&format!("{field}.{item}"));
            Some(format!("{missing}: the number of an item stands behind a '.': {dotted}"))
        }
        Node::List(_) => {
            Some(format!("{} is a list: a '.' and then {} comes next", quoted(field), walk.by_item()))
        }
        Node::Map(inner) if !is_selection && inner.contains_key(item) => {
            let dotted = quoted(&escaped(&[field.to_owned(), item.to_owned()]));
            Some(format!("{missing}: a key stands behind a '.': {dotted}"))
        }
        Node::Map(_) => {
            Some(format!("{missing}: {} is a map, and '[…]' stands for the item of a list", quoted(field)))
        }
        Node::Scalar(_) => None,
    }
}

/// A field, and what stands in brackets behind it.
fn bracketed(part: &str) -> Option<(&str, &str)> {
    part.strip_suffix(']')?.split_once('[').filter(|(field, _)| !field.is_empty())
}

/// The key that is meant by the next parts, which its dots have made of it.
fn dotted_key(map: &Map, parts: &[String]) -> Option<String> {
    let joined = (2..=parts.len().min(JOINED)).rev().map(|count| parts[..count].join("."));
    joined.into_iter().find(|key| map.contains_key(key))
}

/// A field path as it is written.
fn escaped(parts: &[String]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| if part.starts_with('[') { part.clone() } else { part.replace('.', "\\.") })
        .collect();
    parts.join(".")
}

/// Whether a value holds nothing but annotations that no file states.
fn is_internal(value: &Node) -> bool {
    value
        .as_map()
        .is_some_and(|map| !map.is_empty() && map.keys().all(|key| key.starts_with(INTERNAL_PREFIX)))
}

fn stated_keys(map: &Map) -> impl Iterator<Item = &str> {
    map.iter().filter(|(key, value)| !is_own(key, value)).map(|(key, _)| key)
}

/// Whether a field is the build's own: where it remembers something of an object, empty annotations are.
fn is_own(key: &str, value: &Node) -> bool {
    let is_empty = key == "annotations" && value.as_map().is_some_and(Map::is_empty);
    is_empty || key.starts_with(INTERNAL_PREFIX) || is_internal(value)
}

fn text<'n>(item: &'n Node, field: &str) -> Option<&'n str> {
    let found = if field.is_empty() { item } else { item.get(field)? };
    found.as_scalar().map(Scalar::text)
}

fn without_item(items: &[Node], place: &str, (field, value): (&str, &str), may_name: bool) -> String {
    let missing = format!("{place} has no item whose {} is {}", shown(field), quoted(value));
    // Other fields may hold what is secret.
    let names: Vec<&str> =
        items.iter().filter_map(|item| text(item, "name")).filter(|_| field == "name" && may_name).collect();
    match (nearest(value, names.iter().copied()), names.is_empty()) {
        (Some(near), _) => format!("{missing}: did you mean {}?", quoted(near)),
        (None, false) => format!("{missing}: it has {}", listed(names)),
        (None, true) => missing,
    }
}

/// What stands where a path ends before the part `name`.
fn ends(at: &Node, place: &str, name: &str, may_name: bool, next: &str) -> End {
    match at {
        Node::Map(map) => {
            let missing = format!("{place} has no {}", quoted(name));
            let keys = || stated_keys(map).filter(|_| may_name);
            match nearest(name, keys()) {
                Some(near) => End::new(format!("{missing}: did you mean {}?", quoted(near))),
                None if map.is_empty() => End { says: format!("{missing}: it is empty"), is_absent: true },
                None if keys().next().is_none() => End { says: missing, is_absent: true },
                None => End { says: format!("{missing}: it has {}", listed(keys())), is_absent: true },
            }
        }
        Node::List(items) if name.parse::<i64>().is_ok() => End::new(match items.len() {
            0 => format!("{place} is an empty list"),
            1 => format!("{place} is a list of one item, whose number is 0"),
            count => format!("{place} is a list whose items are 0 to {}", count - 1),
        }),
        Node::List(_) if is_map(place) => End::new(format!("{place} is a list, and a map is wanted")),
        Node::List(_) => End::new(format!("{place} is a list: {next} comes next, not {}", quoted(name))),
        Node::Scalar(_) if at.is_null() => End::new(format!("{place} is empty")),
        Node::Scalar(_) => End::new(format!("{place} is a value with nothing below it")),
    }
}

/// Whether what stands at a place is a map in every object, whatever its kind.
pub(super) fn is_map(place: &str) -> bool {
    let mut steps = place.trim_matches('\'').rsplit(['/', '.']);
    matches!(
        (steps.next(), steps.next()),
        (Some("annotations" | "labels"), Some("metadata")) | (Some("matchLabels"), _)
    )
}

fn place(reached: &str, top: &str) -> String {
    if reached.is_empty() { top.to_owned() } else { quoted(reached) }
}

#[cfg(test)]
mod tests {
    use millrace_yaml::json;

    use super::*;

    const OBJECT: &str = r#"{"spec":{"replicas":1,"containers":[{"name":"web","image":"a"}],"empty":{}}}"#;

    #[test]
    fn a_pointer_that_ends_says_where_and_what_is_there() {
        let object = json::from_str(OBJECT).expect("it reads");
        for (pointer, told) in [
            ("/spec/container/0", Some("'/spec' has no 'container': did you mean 'containers'?")),
            ("/status", Some("the object has no 'status': it has 'spec'")),
            ("/spec/containers/1", Some("'/spec/containers' is a list of one item, whose number is 0")),
            (
                "/spec/containers/web",
                Some("'/spec/containers' is a list: the number of an item, from 0, comes next, not 'web'"),
            ),
            ("/spec/replicas/x", Some("'/spec/replicas' is a value with nothing below it")),
            ("/spec/empty/x", Some("'/spec/empty' has no 'x': it is empty")),
            ("/spec/containers/0/image", None),
        ] {
            assert_eq!(missing_pointer(&object, pointer).as_deref(), told, "{pointer}");
        }
    }

    #[test]
    fn a_field_path_that_ends_says_where_and_what_is_there() {
        let object = json::from_str(OBJECT).expect("it reads");
        for (path, told) in [
            (&["spec", "replica"][..], Some("'spec' has no 'replica': did you mean 'replicas'?")),
            (
                &["spec", "containers", "[name=wbe]", "image"],
                Some("'spec.containers' has no item whose name is 'wbe': did you mean 'web'?"),
            ),
            (&["spec", "containers", "[image=b]"], Some("'spec.containers' has no item whose image is 'b'")),
            (
                &["spec", "containers", "*", "x"],
                Some("'spec.containers' is a list: a number or '[name=…]' comes next, not '*'"),
            ),
            (
                &["spec", "containers[0]", "x"],
                Some(
                    "'spec' has no 'containers[0]': the number of an item stands behind a '.': 'containers.0'",
                ),
            ),
            (
                &["spec", "containers[]"],
                Some("'containers' is a list: a '.' and then a number or '[name=…]' comes next"),
            ),
            (
                &["spec", "empty[a", "b]"],
                Some("'spec' has no 'empty[a.b]': 'empty' is a map, and '[…]' stands for the item of a list"),
            ),
            (&["spec", "ports[0]"], Some("'spec' has no 'ports': it has 'replicas', 'containers', 'empty'")),
            (&["spec", "containers", "[name=web]", "image"], None),
        ] {
            let parts: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(missing_field(&object, &parts).as_deref(), told, "{path:?}");
        }
    }

    /// What a path selects is never made where that can only be wrong.
    #[test]
    fn a_field_is_made_where_the_path_is_one() {
        let object = json::from_str(OBJECT).expect("it reads");
        for (path, told) in [
            (
                &["spec", "new"][..],
                "'spec' has no 'new': it has 'replicas', 'containers', 'empty'; options: {create: true} makes it",
            ),
            (&["spec", "new", "*"], "'spec' has no 'new': it has 'replicas', 'containers', 'empty'"),
            (
                &["spec", "new", "list[name=web]"],
                "'spec' has no 'new': it has 'replicas', 'containers', 'empty'",
            ),
            (&["spec", "*", "x"], "'spec' is a map: '*' stands for the items of a list"),
            (&[""], "a part of the path is empty, where the object is reached"),
            (&["spec", ""], "a part of the path is empty, where 'spec' is reached"),
            (
                &["spec", "containers[name=web]", "image"],
                "'spec' has no 'containers[name=web]': a '.' is missing before '[': 'containers.[name=web]'",
            ),
        ] {
            let parts: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(missing_target(&object, &parts, false).as_deref(), Some(told), "{path:?}");
        }
    }
}
