//! The final form of the objects.
//!
//! Contract: kustomize-build §2.7, §2.8, §6.5.

use millrace_yaml::read::{DuplicateKey, ReadError};
use millrace_yaml::{CanonicalError, Node, Scalar, ScalarKind, canonicalize};

use crate::annotations::{self, ORIGIN, TRANSFORMATIONS};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::go;
use crate::hints::{self, Draft};
use crate::origin::Tracking;
use crate::resource::{Collection, Resource};
use crate::syntax;

const NEXT_LINE: char = '\u{85}';

/// Removes what is only the build's own and brings every object into its final form.
pub(crate) fn finish(collection: Collection, context: &Context<'_>) -> Result<Vec<Node>> {
    let tracking = context.tracking.get();
    collection.into_resources().into_iter().map(|resource| finish_one(resource, tracking, context)).collect()
}

fn finish_one(mut resource: Resource, tracking: Tracking, context: &Context<'_>) -> Result<Node> {
    annotations::rebuild(&mut resource.node, |key| match key {
        ORIGIN => tracking.origin,
        TRANSFORMATIONS => tracking.transformations,
        _ => !annotations::is_internal(key),
    })
    .map_err(|fault| {
        let error = BuildError::new(fault.text);
        hints::with_shape(error, &resource, "metadata/annotations", &context.names)
    })?;
    context.make(annotate(&mut resource, tracking)).map_err(BuildError::limit)?;
    let own_files = context.options.own_files;
    let unreadable = if own_files { None } else { syntax::check_blocks(&resource.node).err() };
    let unreadable = unreadable.map(|error| error.moved(resource.comment_lines));
    let repeated = resource.repeated.as_ref().map(|repeated| repeated.keys(&resource.node));
    let repeated = repeated.filter(|keys| !keys.is_empty());
    let is_shown = own_files || unreadable.is_some() || may_fail(&resource.node);
    let original = is_shown.then(|| resource.node.clone());
    if own_files {
        syntax::as_data(&mut resource.node);
    }
    // Where the object cannot even be decoded there is nothing to show.
    let (is_shown, problem) =
        match (&repeated, &resource.complex_key, canonicalize(&mut resource.node), &unreadable) {
            (Some(keys), ..) => (false, ReadError::duplicates(keys).to_string()),
            (None, Some(error), ..) => (false, error.to_string()),
            (None, None, Ok(()), None) => {
                fold_next_lines(&mut resource.node);
                return Ok(resource.node);
            }
            (None, None, Ok(()), Some(_)) => (true, String::new()),
            (None, None, Err(error @ (CanonicalError::Typed { .. } | CanonicalError::Repeated)), _) => {
                (false, error.to_string())
            }
            (None, None, Err(error), _) => (true, error.to_string()),
        };
    // The reference reads what it has printed before it looks at anything else of it.
    let problem = unreadable.map_or(problem, |error| error.to_string());
    let original_node = || original.as_ref().unwrap_or(&resource.node);
    let failed = match (is_shown, own_files) {
        (true, false) => format!("{}: {problem}", go::dump(original_node())),
        (false, false) => format!("map[string]interface {{}}(nil): {problem}"),
        (true, true) if problem.starts_with("yaml: ") => problem,
        (true, true) => format!("error marshaling into JSON: {problem}"),
        (false, true) => {
            let text = syntax::print_styled(original_node());
            format!("received error {problem} for the following resource:\n{text}")
        }
    };
    let error = BuildError::new(failed);
    Err(error.with_hint(unprintable(&resource, original.as_ref(), repeated.as_deref(), context)))
}

/// What to say of an object that cannot be printed; `original` is what it was before, where that was kept, and `repeated` are
/// the keys that stand twice in it.
fn unprintable(
    resource: &Resource,
    original: Option<&Node>,
    repeated: Option<&[DuplicateKey]>,
    context: &Context<'_>,
) -> Draft {
    let names = &context.names;
    let id = || resource.id().text(names);
    let place = || Draft::default().and_object(resource, names);
    match repeated {
        Some([first, ..])
            if !resource.file.is_empty()
                && resource.repeated.as_ref().is_some_and(|repeated| repeated.is_in_text(&first.key)) =>
        {
            let key = hints::quoted(&first.key);
            let repeated = Draft::repeated(resource, &first.key, names);
            repeated.and(format!(": the key {key} stands a second time in this map"))
        }
        None if let Some(key) = resource.complex_key.as_deref().filter(|_| !resource.file.is_empty()) => {
            hints::complex_key(resource, key, names)
        }
        None if let Some(says) =
            hints::unprintable(original.unwrap_or(&resource.node), original.is_some()) =>
        {
            Draft::from(says).of_object(resource, names)
        }
        Some(_) | None if resource.file.is_empty() => format!("the object is {}", id()).into(),
        Some(_) if let Some(key) = &resource.complex_key => hints::complex_key(resource, key, names),
        Some(_) | None => place().and(format!(": the object {} cannot be printed", id())),
    }
}

/// Whether an object has a key or a number that JSON does not have, so that a message will show it as it is now.
fn may_fail(node: &Node) -> bool {
    match node {
        Node::Map(map) => map.entries().iter().any(|(key, value)| !key.is_name() || may_fail(value)),
        Node::List(items) => items.iter().any(may_fail),
        Node::Scalar(scalar) => {
            scalar.kind() == ScalarKind::Float && !scalar.text().ends_with(|last: char| last.is_ascii_digit())
        }
    }
}

/// The reference reads its own JSON as YAML, where U+0085 breaks a line inside of a string, and folds it.
fn fold_next_lines(node: &mut Node) {
    match node {
        Node::Map(map) => map.iter_mut().for_each(|(_, value)| fold_next_lines(value)),
        Node::List(items) => items.iter_mut().for_each(fold_next_lines),
        Node::Scalar(scalar) if scalar.kind() == ScalarKind::Str && scalar.text().contains(NEXT_LINE) => {
            *scalar = Scalar::string(fold(scalar.text()));
        }
        Node::Scalar(_) => {}
    }
}

fn fold(text: &str) -> String {
    let break_text = |breaks: usize| if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks - 1) };
    let mut lines = text.split(NEXT_LINE).peekable();
    let mut folded = lines.next().unwrap_or_default().trim_end_matches(' ').to_owned();
    let mut breaks = 0;
    while let Some(line) = lines.next() {
        breaks += 1;
        let line = line.trim_start_matches(' ');
        let line = if lines.peek().is_some() { line.trim_end_matches(' ') } else { line };
        if !line.is_empty() {
            folded.push_str(&break_text(breaks));
            folded.push_str(line);
            breaks = 0;
        }
    }
    if breaks > 0 {
        folded.push_str(&break_text(breaks));
    }
    folded
}

/// Writes what was tracked; says how many bytes that is.
fn annotate(resource: &mut Resource, tracking: Tracking) -> usize {
    let origin = resource.origin.take().filter(|_| tracking.origin);
    let steps = Some(std::mem::take(&mut resource.transformations))
        .filter(|steps| tracking.transformations && !steps.is_empty());
    if origin.is_none() && steps.is_none() {
        return 0;
    }
    let Some(annotations) = resource.node.map_at_mut(&["metadata", "annotations"]) else { return 0 };
    let mut bytes = 0;
    if let Some(origin) = origin {
        bytes += origin.len();
        annotations.insert(ORIGIN, Node::string(&*origin));
    }
    if let Some(steps) = steps {
        let list = Node::list(steps.iter().map(|step| Node::clone(step)).collect());
        let text = syntax::print_wide(&list);
        bytes += text.len();
        annotations.insert(TRANSFORMATIONS, Node::string(text));
    }
    bytes
}
