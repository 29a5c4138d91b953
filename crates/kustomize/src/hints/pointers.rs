//! Where a path into an object ends.

use millrace_yaml::{Node, Scalar};

use super::near::{listed, nearest, quoted, shown};

/// Where a JSON pointer ends, and what is there; nothing if it leads somewhere.
pub(crate) fn missing_pointer(object: &Node, pointer: &str) -> Option<String> {
    let (mut at, mut reached) = (object, 0);
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let child = match at {
            Node::Map(map) => map.get(&name),
            Node::List(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            Node::Scalar(_) => None,
        };
        let Some(child) = child else { return Some(ends(at, &pointer[..reached], &name)) };
        at = child;
        reached += 1 + part.len();
    }
    None
}

/// Where the parts of a field path end, and what is there; nothing if that isn't clear.
pub(crate) fn missing_field(object: &Node, parts: &[String]) -> Option<String> {
    let mut at = object;
    for (index, part) in parts.iter().enumerate() {
        let reached = || parts[..index].join(".");
        let selected = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')?.split_once('='));
        let child = match (at, selected) {
            (Node::Map(map), None) => map.get(part),
            (Node::List(items), None) if part.parse::<usize>().is_ok() => {
                part.parse::<usize>().ok().and_then(|index| items.get(index))
            }
            (Node::List(items), Some((field, value))) => {
                let found = items.iter().find(|item| text(item, field) == Some(value));
                if found.is_none() {
                    return Some(without_item(items, &reached(), field, value));
                }
                found
            }
            // What these select is not one value.
            (Node::List(_), None) if part == "*" || part == "-" => return None,
            (Node::Map(_), Some(_)) => return None,
            (Node::List(_) | Node::Scalar(_), _) => None,
        };
        let Some(child) = child else { return Some(ends(at, &reached(), part)) };
        at = child;
    }
    None
}

fn text<'n>(item: &'n Node, field: &str) -> Option<&'n str> {
    let found = if field.is_empty() { item } else { item.get(field)? };
    found.as_scalar().map(Scalar::text)
}

fn without_item(items: &[Node], reached: &str, field: &str, value: &str) -> String {
    let place = place(reached);
    let missing = format!("{place} has no item whose {} is {}", shown(field), quoted(value));
    // Other fields may hold what is secret.
    let names: Vec<&str> =
        items.iter().filter_map(|item| text(item, "name")).filter(|_| field == "name").collect();
    match (nearest(value, names.iter().copied()), names.is_empty()) {
        (Some(near), _) => format!("{missing}: did you mean {}?", quoted(near)),
        (None, false) => format!("{missing}: it has {}", listed(names)),
        (None, true) => missing,
    }
}

/// What stands where a path ends before the part `name`.
fn ends(at: &Node, reached: &str, name: &str) -> String {
    let place = place(reached);
    match at {
        Node::Map(map) => {
            let missing = format!("{place} has no {}", quoted(name));
            match nearest(name, map.keys()) {
                Some(near) => format!("{missing}: did you mean {}?", quoted(near)),
                None if map.is_empty() => format!("{missing}: it is empty"),
                None => format!("{missing}: it has {}", listed(map.keys())),
            }
        }
        Node::List(items) if name.parse::<i64>().is_ok() => match items.len() {
            0 => format!("{place} is an empty list"),
            count => format!("{place} is a list whose items are 0 to {}", count - 1),
        },
        Node::List(_) => format!("{place} is a list: an item, not {}, comes next", quoted(name)),
        Node::Scalar(_) => format!("{place} is a value with nothing below it"),
    }
}

fn place(reached: &str) -> String {
    if reached.is_empty() { "the object".to_owned() } else { quoted(reached) }
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
            ("/spec/containers/1", Some("'/spec/containers' is a list whose items are 0 to 0")),
            ("/spec/containers/web", Some("'/spec/containers' is a list: an item, not 'web', comes next")),
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
            (&["spec", "containers", "*", "x"], None),
            (&["spec", "containers", "[name=web]", "image"], None),
        ] {
            let parts: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(missing_field(&object, &parts).as_deref(), told, "{path:?}");
        }
    }
}
