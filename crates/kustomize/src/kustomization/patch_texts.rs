//! The entries of `patchesStrategicMerge`.

use millrace_yaml::Node;

use super::decode::{Decode, DecodeError, Trail};

/// Strategic patches, or paths of them: a type of its own in messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PatchTexts(Vec<String>);

/// One of [`PatchTexts`].
#[derive(Default)]
struct PatchText(String);

impl Decode for PatchText {
    fn type_name() -> String {
        "types.PatchStrategicMerge".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        match node {
            Node::Scalar(scalar) if trail.coerce || node.as_str().is_some() => {
                Ok(Self(scalar.text().to_owned()))
            }
            Node::Scalar(_) | Node::List(_) | Node::Map(_) => Err(trail.wrong::<Self>(node)),
        }
    }
}

impl Decode for PatchTexts {
    fn type_name() -> String {
        Vec::<PatchText>::type_name()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let texts = Vec::<PatchText>::decode(node, trail)?;
        Ok(Self(texts.into_iter().map(|PatchText(text)| text).collect()))
    }
}

impl std::ops::Deref for PatchTexts {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a PatchTexts {
    type Item = &'a String;
    type IntoIter = std::slice::Iter<'a, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
