//! Input in sections: a line `=== NAME` begins one, its text follows.
//!
//! Seeds stay readable this way, and a fuzzer that cuts, copies and joins lines makes new structures of old ones.

const MARK: &[u8] = b"=== ";

/// A named part of an input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// The sections of an input; what stands before the first has no name.
pub(crate) fn sections(data: &[u8]) -> Vec<Section> {
    let mut found = vec![Section { name: String::new(), text: Vec::new() }];
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(MARK) {
            let name = String::from_utf8_lossy(name).trim_end_matches(['\r', '\n']).to_owned();
            found.push(Section { name, text: Vec::new() });
        } else if let Some(section) = found.last_mut() {
            section.text.extend_from_slice(line);
        }
    }
    found
}

/// The texts of the sections with that name, as UTF-8, one after the other.
pub(crate) fn text_of(sections: &[Section], name: &str) -> String {
    let parts = sections.iter().filter(|section| section.name == name);
    parts.map(|section| String::from_utf8_lossy(&section.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_equal_signs_begin_a_section() {
        let found = sections(b"a\n=== b\nc\n==d\n=== b\r\ne");
        let names: Vec<&str> = found.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["", "b", "b"]);
        assert_eq!(text_of(&found, ""), "a\n");
        assert_eq!(text_of(&found, "b"), "c\n==d\ne");
    }
}
