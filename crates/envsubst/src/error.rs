//! Why substitution fails; texts are the original's.

use millrace_yaml::read::ReadError;

/// A text that can't be substituted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// An operator and its arguments don't fit.
    #[error("bad substitution")]
    BadSubstitution,
    /// What follows a name is no operator, and no `}` either.
    #[error("missing closing brace")]
    MissingClosingBrace,
    /// No name follows `${`.
    #[error("unable to parse variable name")]
    VariableName,
    /// An operator's argument is missing or doesn't end.
    #[error("unable to parse substitution within function")]
    FunctionArgument,
    /// An operator with a default is incomplete.
    #[error("unable to parse default function")]
    DefaultFunction,
    /// Expressions nest too deep.
    #[error("expressions nest deeper than {limit} levels")]
    TooDeep {
        /// How deep they may nest.
        limit: usize,
    },
    /// What comes out is larger than any document may be.
    #[error("substituted text exceeds {limit} bytes")]
    TooLarge {
        /// How large it may be.
        limit: usize,
    },
    /// A variable has no value and the operator no default.
    #[error("variable not set (strict mode): {name:?}")]
    NotSet {
        /// The variable.
        name: String,
    },
    /// A substring whose length is negative; the original crashes here.
    #[error("substring of {name:?}: length {length} is negative")]
    NegativeLength {
        /// The variable.
        name: String,
        /// The length.
        length: i64,
    },
}

/// An object that can't be substituted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubstitutionError {
    /// A variable has a name that no expression can hold.
    #[error(
        "envsubst error: '{name}' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'"
    )]
    InvalidName {
        /// The name.
        name: String,
    },
    /// An expression in the object's text is wrong.
    #[error("envsubst error: variable substitution failed: {0}")]
    Text(TextError),
    /// The text that came out is no YAML.
    #[error("envsubst error: YAMLToJSON: {0}")]
    Yaml(ReadError),
    /// The text that came out is no object.
    #[error("UnmarshalJSON: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}")]
    NoObject {
        /// What it is, in JSON's terms.
        found: &'static str,
    },
    /// After substitution the object is called what another one is called.
    #[error("in Replace: id matched {count} resources")]
    SameId {
        /// How many objects have that id.
        count: usize,
    },
}

/// Which of a build's objects failed, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// Substitution failed.
    #[error("post build failed for '{id}': {reason}")]
    Failed {
        /// The object, as `<Kind>.<version>.<group>/<name>`.
        id: String,
        /// Why.
        reason: SubstitutionError,
    },
    /// Two objects have become one; the original names neither.
    #[error("{0}")]
    Clash(SubstitutionError),
}
