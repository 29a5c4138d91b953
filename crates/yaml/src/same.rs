//! Equality of values, whatever their text, style and key order.

use crate::{Map, Node, Scalar, ScalarKind, number};

impl Node {
    /// Whether both mean the same: maps as sets of entries, numbers by value, other scalars by kind and text.
    ///
    /// `==` compares text, style and order as well.
    pub fn same_value(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(left), Self::Scalar(right)) => left.same_value(right),
            (Self::List(left), Self::List(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right).all(|(left, right)| left.same_value(right))
            }
            (Self::Map(left), Self::Map(right)) => left.same_value(right),
            (Self::Scalar(_) | Self::List(_) | Self::Map(_), _) => false,
        }
    }
}

impl Scalar {
    /// Whether both mean the same; `1` and `1.0` do.
    pub fn same_value(&self, other: &Self) -> bool {
        match (self.kind(), other.kind()) {
            (ScalarKind::Null, ScalarKind::Null) => true,
            (ScalarKind::Bool, ScalarKind::Bool) => self.text().eq_ignore_ascii_case(other.text()),
            (ScalarKind::Int, ScalarKind::Int) => {
                number::decimal(self.text()) == number::decimal(other.text())
            }
            (ScalarKind::Int | ScalarKind::Float, ScalarKind::Int | ScalarKind::Float) => {
                self.text() == other.text() || number::value_of(self) == number::value_of(other)
            }
            (ScalarKind::Str | ScalarKind::Timestamp, ScalarKind::Str | ScalarKind::Timestamp) => {
                self.text() == other.text()
            }
            (
                ScalarKind::Null
                | ScalarKind::Bool
                | ScalarKind::Int
                | ScalarKind::Float
                | ScalarKind::Str
                | ScalarKind::Timestamp,
                _,
            ) => false,
        }
    }
}

impl Map {
    /// Whether both have the same keys with the same values, in any order.
    pub fn same_value(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let aligned = self.iter().zip(other.iter()).all(|((left, _), (right, _))| left == right);
        if aligned {
            return self.iter().zip(other.iter()).all(|((_, left), (_, right))| left.same_value(right));
        }
        let mut left: Vec<_> = self.iter().collect();
        let mut right: Vec<_> = other.iter().collect();
        left.sort_unstable_by_key(|(key, _)| *key);
        right.sort_unstable_by_key(|(key, _)| *key);
        left.iter().zip(&right).all(|((name, value), (other_name, other_value))| {
            name == other_name && value.same_value(other_value)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::json;

    #[test]
    fn order_and_number_text_do_not_matter() {
        let read = |text: &str| json::from_slice(text.as_bytes()).unwrap();
        assert!(read(r#"{"a":1,"b":[2.0]}"#).same_value(&read(r#"{"b":[2],"a":1}"#)));
        assert!(!read(r#"{"a":1}"#).same_value(&read(r#"{"a":"1"}"#)));
        assert!(!read(r#"{"a":1}"#).same_value(&read(r#"{"b":1}"#)));
        assert!(!read("[1]").same_value(&read("[1,2]")));
        assert!(!read("null").same_value(&read("{}")));
    }
}
