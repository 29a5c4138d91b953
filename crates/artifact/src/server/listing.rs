//! The page that lists a folder.

use std::{fmt::Write as _, fs, io, os::unix::ffi::OsStrExt as _, path::Path};

/// Lists a folder, names in byte order, folders with a trailing slash.
pub(super) fn page(folder: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let mut name = entry.file_name().as_bytes().to_vec();
        if entry.file_type()?.is_dir() {
            name.push(b'/');
        }
        names.push(name);
    }
    names.sort_unstable();
    let mut page =
        String::from("<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n");
    for name in names {
        // A name with a colon would read as a URL with a scheme.
        let colon = name.iter().take_while(|byte| **byte != b'/').any(|byte| *byte == b':');
        let dot = if colon { "./" } else { "" };
        let text = escape_html(&String::from_utf8_lossy(&name));
        // Writing to a string can't fail.
        let _ = writeln!(page, "<a href=\"{dot}{}\">{text}</a>", escape_path(&name));
    }
    page.push_str("</pre>\n");
    Ok(page)
}

/// Escapes what may not stand in the path of a URL.
pub(super) fn escape_path(path: &[u8]) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(*byte));
            }
            b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@' => escaped.push(char::from(*byte)),
            _ => {
                // Writing to a string can't fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;")
}
