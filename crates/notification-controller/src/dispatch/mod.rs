//! d
pub mod mask;
pub mod metadata;
pub mod proxy;
pub mod selection;
pub mod settings;
pub mod source;
pub mod tls;
