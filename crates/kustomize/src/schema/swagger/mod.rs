//! Whether a document is made up as Swagger 2 wants it, in the words of the reference's decoder.

mod records;

use millrace_yaml::{Node, Scalar, ScalarKind};

use crate::go;
use crate::hints::{Draft, Key};
use records::{SCHEMA, SWAGGER};

/// What a value is to be. Names are types of the reference's language.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Any,
    Text,
    Bool,
    Int,
    Float,
    List(&'static str, &'static Self),
    Map(&'static str, &'static Self),
    Record(&'static Record),
    Schema,
    /// Text or a list of texts.
    Texts,
    /// A schema, or whether anything goes.
    SchemaOrBool,
    /// A schema or a list of them; the rest is passed over.
    Schemas,
    /// A schema or a list of texts; the rest is passed over.
    SchemaOrTexts,
    /// Operations by path.
    Paths,
    /// Answers by status.
    Responses,
}

/// A map with known fields; others are passed over.
#[derive(Debug)]
struct Record {
    /// The type whose decoder messages name, where it has one.
    name: Option<&'static str>,
    /// What that decodes into.
    inner: &'static str,
    fields: &'static [(&'static str, Shape)],
}

/// Why a document does not fit.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// The reference's words.
    pub(crate) text: String,
    /// The way to the value from the innermost step out.
    way: Vec<Key>,
    /// What the value is to be, and what it is.
    says: String,
}

type Fit = Result<(), Misfit>;

/// The order in which a decoder comes to the keys of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOrder {
    /// That of the text.
    Written,
    /// Sorted, as text that is converted to JSON has them.
    Sorted,
}

impl KeyOrder {
    /// The entries of a map; of anything else none.
    pub(crate) fn entries(self, node: &Node) -> Vec<(&str, &Node)> {
        let mut entries: Vec<(&str, &Node)> =
            node.as_map().into_iter().flat_map(millrace_yaml::Map::iter).collect();
        if self == Self::Sorted {
            entries.sort_by_key(|(key, _)| *key);
        }
        entries
    }
}

/// Checks a whole document.
pub(super) fn check_document(node: &Node, order: KeyOrder) -> Fit {
    Check { order }.record(node, &SWAGGER)
}

/// Checks a schema.
pub(crate) fn check_schema(node: &Node, order: KeyOrder) -> Fit {
    Check { order }.record(node, &SCHEMA)
}

struct Check {
    order: KeyOrder,
}

impl Check {
    fn value(&self, node: &Node, shape: Shape) -> Fit {
        match shape {
            Shape::Record(record) => self.record(node, record),
            Shape::Schema => self.record(node, &SCHEMA),
            Shape::Texts => Self::texts(node).map_err(|misfit| misfit.of("spec.StringOrArray")),
            Shape::Paths | Shape::Responses => self.numbered(node, shape),
            Shape::Schemas | Shape::SchemaOrTexts => self.alternatives(node, shape),
            _ if node.is_null() => Ok(()),
            Shape::SchemaOrBool => match node {
                Node::Map(_) => self.record(node, &SCHEMA),
                _ if node.as_bool().is_some() => Ok(()),
                _ => Err(misfit(
                    node,
                    "a map, true or false",
                    format!("expected object or bool, not '{}'", token_name(node)),
                )),
            }
            .map_err(|misfit| misfit.of("spec.SchemaOrBool")),
            Shape::Any => Ok(()),
            Shape::Text => fits(node, node.as_str().is_some(), "string"),
            Shape::Bool => fits(node, node.as_bool().is_some(), "bool"),
            Shape::Int => whole(node),
            Shape::Float => fits(node, is_number(node), "float64"),
            Shape::List(name, item) => {
                fits(node, node.as_list().is_some(), name)?;
                self.items(node, *item)
            }
            Shape::Map(name, value) => {
                fits(node, node.as_map().is_some(), name)?;
                self.entries(node, |_| Some(*value))
            }
        }
    }

    fn record(&self, node: &Node, record: &Record) -> Fit {
        if node.is_null() {
            return Ok(());
        }
        let fields = |key: &str| record.fields.iter().find(|(name, _)| *name == key).map(|(_, shape)| *shape);
        let fit = fits(node, node.as_map().is_some(), record.inner)
            .and_then(|()| self.entries(node, fields))
            .and_then(|()| if record.name.is_some() { address(node) } else { Ok(()) });
        match record.name {
            Some(name) => fit.map_err(|misfit| misfit.of(name)),
            None => fit,
        }
    }

    fn items(&self, node: &Node, shape: Shape) -> Fit {
        let mut items = node.as_list().unwrap_or_default().iter().enumerate();
        items.try_for_each(|(index, item)| {
            self.value(item, shape).map_err(|misfit| misfit.within(Key::Item(index)))
        })
    }

    fn entries(&self, node: &Node, shape: impl Fn(&str) -> Option<Shape>) -> Fit {
        self.order.entries(node).into_iter().try_for_each(|(key, value)| match shape(key) {
            Some(shape) => self.value(value, shape).map_err(|misfit| misfit.within(Key::name(key))),
            None => Ok(()),
        })
    }

    fn texts(node: &Node) -> Fit {
        match node {
            Node::List(items) => items.iter().enumerate().try_for_each(|(index, item)| {
                fits(item, item.is_null() || item.as_str().is_some(), "string")
                    .map_err(|misfit| misfit.within(Key::Item(index)))
            }),
            node if node.is_null() || node.as_str().is_some() => Ok(()),
            node => Err(misfit(
                node,
                "text or a list of texts",
                format!("expected string or array, not '{}'", token_name(node)),
            )),
        }
    }

    fn alternatives(&self, node: &Node, shape: Shape) -> Fit {
        let (name, item) = match shape {
            Shape::Schemas => ("spec.SchemaOrArray", Shape::Schema),
            _ => ("spec.SchemaOrStringArray", Shape::Text),
        };
        match node {
            Node::Map(_) => self.record(node, &SCHEMA),
            Node::List(_) => self.items(node, item),
            Node::Scalar(_) => Ok(()),
        }
        .map_err(|misfit| misfit.of(name))
    }

    /// Paths begin with a slash, answers have a number or are the default; other keys are passed over.
    fn numbered(&self, node: &Node, shape: Shape) -> Fit {
        if node.is_null() {
            return Ok(());
        }
        let (name, record) = match shape {
            Shape::Paths => ("spec.Paths", &records::PATH_ITEM),
            _ => ("spec.Responses", &records::RESPONSE),
        };
        let counts = |key: &str| match shape {
            Shape::Paths => key.starts_with('/'),
            _ => key == "default" || go::parse_int(key).is_some(),
        };
        let fit = if node.as_map().is_none() {
            Err(misfit(node, "a map", format!("unknown JSON kind: {}", token_name(node))))
        } else {
            self.entries(node, |key| counts(key).then_some(Shape::Record(record)))
        };
        fit.map_err(|misfit| misfit.of(name))
    }
}

impl Misfit {
    /// The same, told by the decoder of a type.
    fn of(mut self, name: &str) -> Self {
        self.text = format!("json: cannot unmarshal Go value of type {name}: {}", self.text);
        self
    }

    /// The same, seen from the value that contains the one it was about.
    pub(crate) fn within(mut self, step: Key) -> Self {
        self.way.push(step);
        self
    }

    /// Where in a file what stands that does not fit.
    pub(crate) fn hint(&self, file: &str) -> Draft {
        let way: Vec<Key> = self.way.iter().rev().cloned().collect();
        let field = shown(&way);
        Draft::field(file, way, None).and(format!(": {field} {}", self.says))
    }
}

/// The way to a value in words, such as `definitions.app.required[0]`.
pub(super) fn shown(way: &[Key]) -> String {
    let mut text = String::new();
    for key in way {
        match key {
            Key::Name(name) if text.is_empty() => text.push_str(name),
            Key::Name(name) => text.extend([".", name]),
            Key::Item(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    if text.is_empty() { "this".to_owned() } else { text }
}

fn misfit(node: &Node, wanted: &str, text: String) -> Misfit {
    let says = format!("is to be {wanted}, not {}", words(node));
    Misfit { text, way: Vec::new(), says }
}

fn words(node: &Node) -> &'static str {
    match kind_name(node) {
        "object" => "a map",
        "array" => "a list",
        "boolean" => "true or false",
        "number" => "a number",
        "null" => "nothing",
        _ => "text",
    }
}

/// What a type is in words.
fn type_words(of_type: &str) -> &'static str {
    match of_type {
        "string" => "text",
        "bool" => "true or false",
        "int64" | "float64" => "a number",
        list if list.starts_with("[]") => "a list",
        _ => "a map",
    }
}

fn fits(node: &Node, does_fit: bool, wanted: &str) -> Fit {
    if does_fit {
        return Ok(());
    }
    let text = format!("json: cannot unmarshal JSON {} into Go value of type {wanted}", kind_name(node));
    Err(misfit(node, type_words(wanted), text))
}

fn whole(node: &Node) -> Fit {
    fits(node, is_number(node), "int64")?;
    let text = node.as_scalar().map_or("", Scalar::text);
    if go::parse_int(text).is_some() {
        return Ok(());
    }
    let is_large = text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    let problem = if is_large { "value out of range" } else { "invalid syntax" };
    let text = format!(
        "json: cannot unmarshal JSON number into Go value of type int64: cannot parse {} as signed integer: {problem}",
        go::quote(text)
    );
    Err(Misfit { text, way: Vec::new(), says: "is to be a whole number".to_owned() })
}

/// A reference is an address.
fn address(node: &Node) -> Fit {
    ["$ref", "$schema"].into_iter().try_for_each(|key| {
        let text = node.str_at(&[key]).unwrap_or_default();
        let is_hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
        let bad = text.match_indices('%').find(|(at, _)| {
            let mut digits = text.bytes().skip(at + 1);
            !(is_hex(digits.next()) && is_hex(digits.next()))
        });
        let Some((at, _)) = bad else { return Ok(()) };
        let escape: String = text[at..].chars().take(3).collect();
        let problem = format!("parse {}: invalid URL escape {}", go::quote(text), go::quote(&escape));
        let says = "is no address: '%' wants two hexadecimal digits behind it".to_owned();
        Err(Misfit { text: problem, way: vec![Key::name(key)], says })
    })
}

fn is_number(node: &Node) -> bool {
    let kind = node.as_scalar().map(Scalar::kind);
    matches!(kind, Some(ScalarKind::Int | ScalarKind::Float))
}

/// What a value is in JSON.
fn kind_name(node: &Node) -> &'static str {
    match node {
        Node::Map(_) => "object",
        Node::List(_) => "array",
        Node::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Null => "null",
            ScalarKind::Bool => "boolean",
            ScalarKind::Int | ScalarKind::Float => "number",
            ScalarKind::Str | ScalarKind::Timestamp => "string",
        },
    }
}

/// What a value begins with in JSON.
fn token_name(node: &Node) -> &'static str {
    match node {
        Node::Map(_) => "{",
        Node::List(_) => "[",
        Node::Scalar(_) => match node.as_bool() {
            Some(true) => "true",
            Some(false) => "false",
            None => kind_name(node),
        },
    }
}
