//! Hiding secret values in what a server says.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Replaces what must not be shown in texts of the API server: it quotes values that it refuses.
///
/// The engine's own words around such a text are never touched. The default hides nothing.
#[derive(Clone, Default)]
pub struct Mask(Option<Arc<Hide>>);

type Hide = dyn Fn(&str) -> String + Send + Sync;

impl Mask {
    /// A mask that shows a text as `hide` returns it.
    pub fn new(hide: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hide)))
    }

    /// The text as it may be shown.
    pub(crate) fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.0 {
            Some(hide) => Cow::Owned(hide(text)),
            None => Cow::Borrowed(text),
        }
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Mask").field(&self.0.is_some()).finish()
    }
}
