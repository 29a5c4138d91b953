//! What a remote has to offer.

use gix::protocol::handshake::Ref;

/// The references of a remote, or those that were asked for.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    refs: Vec<Listed>,
}

/// A reference and the commit that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// What the reference points at: a commit, or the object of an annotated tag.
    pub(crate) object: gix::ObjectId,
    /// The commit.
    pub(crate) commit: gix::ObjectId,
}

impl Listing {
    pub(crate) fn new(refs: Vec<Ref>) -> Self {
        let listed =
            |name: gix::bstr::BString, object, commit| Listed { name: name.to_string(), object, commit };
        let refs = refs.into_iter().filter_map(|reference| match reference {
            Ref::Peeled { full_ref_name, tag, object } => Some(listed(full_ref_name, tag, object)),
            Ref::Direct { full_ref_name, object } => Some(listed(full_ref_name, object, object)),
            Ref::Symbolic { full_ref_name, tag, object, .. } => {
                Some(listed(full_ref_name, tag.unwrap_or(object), object))
            }
            Ref::Unborn { .. } => None,
        });
        Self { refs: refs.collect() }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Listed> {
        self.refs.iter().find(|listed| listed.name == name)
    }

    /// The references below `prefix`, with the rest of their names.
    pub(crate) fn below<'a>(&'a self, prefix: &str) -> impl Iterator<Item = (&'a str, &'a Listed)> {
        self.refs.iter().filter_map(move |listed| Some((listed.name.strip_prefix(prefix)?, listed)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }
}
