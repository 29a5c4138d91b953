//! Text that is made to break its reader: each row ends in a tree or in the error of a limit, on a small stack, and allocates
//! no more than a stated multiple of its size.

use millrace_matrix::Matrix;
use millrace_yaml::read::{
    Document, Limits, ReadError, ReadErrorKind, Resolver, documents, documents_from_slice, one,
};
use millrace_yaml::{CanonicalError, Node, canonicalize, from_node, json, print};

use crate::MEMORY;

const RESOLVERS: [Resolver; 2] = [Resolver::Kubernetes, Resolver::Kustomize];
/// What a row may allocate for each byte of its text (which may be half a value), all allocations added up, and beside it.
const COST_PER_BYTE: usize = 250;
const COST_BESIDE: usize = 32 << 20;
const TRIES: usize = 5;

type Outcome = Result<(), String>;

/// Text, and what reading it ends in: a tree, or an error of that kind whose text ends so.
struct Row {
    name: &'static str,
    text: String,
    limits: Limits,
    /// Whether the text is read as one document, as it must be where it begins with directives.
    whole: bool,
    expected: Result<(), (ReadErrorKind, &'static str)>,
}

fn reads(name: &'static str, text: String) -> Row {
    Row { name, text, limits: Limits::default(), whole: false, expected: Ok(()) }
}

fn refused(name: &'static str, text: String, kind: ReadErrorKind, end: &'static str) -> Row {
    Row { name, text, limits: Limits::default(), whole: false, expected: Err((kind, end)) }
}

impl Row {
    fn under(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    fn read(&self, resolver: Resolver) -> Result<Vec<Node>, ReadError> {
        if self.whole {
            return Ok(vec![printable(one(&self.text, resolver, &self.limits)?)?]);
        }
        documents(&self.text, resolver, &self.limits)?.into_iter().map(printable).collect()
    }

    fn run(&self) -> Outcome {
        let allowed = self.text.len() * COST_PER_BYTE + COST_BESIDE;
        for resolver in RESOLVERS {
            let measured = || {
                let before = MEMORY.total_allocated();
                let read = self.read(resolver);
                (read, MEMORY.total_allocated() - before)
            };
            let (read, mut cost) = measured();
            // Other tests of this process, if there are any, allocate as well.
            for _ in 0..TRIES {
                cost = if cost > allowed { measured().1 } else { break };
            }
            if cost > allowed {
                return Err(format!("{resolver:?}: {cost} bytes for a text of {}", self.text.len()));
            }
            self.judge(read)?;
        }
        Ok(())
    }

    fn judge(&self, read: Result<Vec<Node>, ReadError>) -> Outcome {
        match (read, self.expected) {
            (Ok(nodes), Ok(())) => nodes.iter().try_for_each(use_up),
            (Ok(_), Err((_, end))) => Err(format!("was read, not refused with {end:?}")),
            (Err(error), Ok(())) => Err(format!("was refused: {error}")),
            (Err(error), Err((kind, end))) => {
                let text = error.to_string();
                if error.kind() == kind && text.ends_with(end) && text.len() < 70_000 {
                    return Ok(());
                }
                Err(format!(
                    "{:?}, not {kind:?}: {}",
                    error.kind(),
                    text.chars().take(200).collect::<String>()
                ))
            }
        }
    }
}

/// Everything that is done with a tree by recursion, dropping last.
fn use_up(node: &Node) -> Outcome {
    let mut copy = node.clone();
    if copy != *node || !copy.same_value(node) {
        return Err("a copy differs".to_owned());
    }
    match canonicalize(&mut copy) {
        // Both of two equal keys are there, which nothing else reads.
        Err(CanonicalError::Repeated) => return Ok(()),
        canonical => canonical.map_err(|error| error.to_string())?,
    }
    let _ = print::to_yaml_in_order(&copy);
    let text = print::to_yaml(&copy);
    let limits = Limits { depth: usize::MAX, text_bytes: usize::MAX, ..Limits::default() };
    let again = one(&text, Resolver::Kubernetes, &limits).map_err(|error| error.to_string())?.node;
    let read = json::from_str(&json::to_string(&copy));
    if !again.same_value(&copy) || read.is_ok_and(|read| !read.same_value(&copy)) {
        return Err("what was printed reads as something else".to_owned());
    }
    from_node::<serde::de::IgnoredAny>(&copy).map_err(|error| error.to_string())?;
    serde_json::to_string(&copy).map(drop).map_err(|error| error.to_string())
}

fn block(depth: usize) -> String {
    let keys: String = (0..depth - 1).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    format!("{keys}{}a: x\n", " ".repeat(depth - 1))
}

fn nested(depth: usize) -> Vec<(&'static str, String)> {
    vec![
        ("block maps", block(depth)),
        ("flow lists", format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
        ("flow maps", format!("{}x{}", "{a: ".repeat(depth), "}".repeat(depth))),
        ("block lists on one line", format!("{}x\n", "- ".repeat(depth))),
        ("JSON", format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth))),
    ]
}

fn depth_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let most = Limits { depth: usize::MAX, ..Limits::default() };
    for (name, text) in nested(500) {
        rows.push(reads(name, text));
    }
    for (name, text) in nested(Limits::MAX_DEPTH) {
        rows.push(reads(name, text).under(most));
    }
    let end = "exceeded max depth of 500";
    for (name, text) in nested(501).into_iter().chain(nested(10_000)) {
        rows.push(refused(name, text, ReadErrorKind::Limit, end));
    }
    for (name, text) in nested(Limits::MAX_DEPTH + 1) {
        rows.push(refused(name, text, ReadErrorKind::Limit, "exceeded max depth of 1000").under(most));
    }
    for (name, open) in [("flow lists", "["), ("flow maps", "{a: "), ("keys", "? "), ("flow keys", "[? ")] {
        rows.push(refused(name, open.repeat(100_000), ReadErrorKind::Limit, end));
    }
    let (hundred, short) = (Limits { depth: 100, ..Limits::default() }, "exceeded max depth of 100");
    let anchors: String = (1..150).map(|level| format!("a{level}: &a{level} [*a{}]\n", level - 1)).collect();
    let filler = format!("f: [{}]\n", "1, ".repeat(10_000));
    let text = format!("{filler}a0: &a0 [x]\n{anchors}");
    rows.push(refused("aliases in aliases", text, ReadErrorKind::Limit, short).under(hundred));
    let merges: String =
        (1..150).map(|level| format!("a{level}: &a{level} {{<<: *a{}}}\n", level - 1)).collect();
    let text = format!("{filler}a0: &a0 {{x: y}}\n{merges}");
    rows.push(refused("merges in merges", text, ReadErrorKind::Limit, short).under(hundred));
    rows
}

fn alias_rows() -> Vec<Row> {
    let laughs = |first: &str, item: fn(usize) -> String| {
        let mut text = format!("a0: &a0 {first}\n");
        for level in 1..10 {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&item(level).replace("ITEMS", &items));
        }
        text
    };
    let excessive = "document contains excessive aliasing";
    let big = "x".repeat(100_000);
    let million = Limits { text_bytes: 1_000_000, ..Limits::default() };
    let repeated = |count: usize| format!("a: &a {big}\nb: [{}]\n", vec!["*a"; count].join(", "));
    let key = |count: usize| {
        let entries: String = (0..count).map(|entry| format!("- {{*a : {entry}}}\n")).collect();
        format!("- &a {big}\n{entries}")
    };
    let end = "aliases repeat more text than the limit of 1000000 bytes";
    vec![
        refused(
            "a billion laughs",
            laughs("[x, x, x]", |level| format!("a{level}: &a{level} [ITEMS]\n")),
            ReadErrorKind::Value,
            excessive,
        ),
        refused(
            "a billion laughs in maps",
            laughs("{x: y}", |level| format!("a{level}: &a{level} {{b: [ITEMS], c: [ITEMS]}}\n")),
            ReadErrorKind::Value,
            excessive,
        ),
        refused(
            "a billion laughs in merges",
            laughs("{x: y}", |level| format!("a{level}: &a{level} {{<<: [ITEMS], k{level}: 1}}\n")),
            ReadErrorKind::Value,
            excessive,
        ),
        refused("an anchor in itself", "a: &a [*a]".into(), ReadErrorKind::Value, "value contains itself"),
        refused("a merge of itself", "a: &a {<<: *a}".into(), ReadErrorKind::Value, "value contains itself"),
        reads("repeated text at its limit", repeated(10)).under(million),
        refused("repeated text over its limit", repeated(11), ReadErrorKind::Limit, end).under(million),
        refused("much repeated text", repeated(100_000), ReadErrorKind::Limit, end).under(million),
        refused("repeated keys", key(100), ReadErrorKind::Limit, end).under(million),
    ]
}

fn size_rows() -> Vec<Row> {
    let small = Limits { text_bytes: 1000, values: 100, ..Limits::default() };
    let list = |items: usize| format!("[{}]", vec!["1"; items].join(","));
    let json = |items: usize| format!("{{\"a\":[{}]}}", vec!["1"; items].join(","));
    let many = |count: usize| "a: 1\n---\n".repeat(count);
    let deep = |items: usize| format!("{}{}{}", "[".repeat(99), vec!["1"; items].join(","), "]".repeat(99));
    let wide = Limits { text_bytes: 100_000, ..Limits::default() };
    let values = "text has more than 100 values";
    vec![
        reads("text at its limit", format!("a: {}\n", "x".repeat(996))).under(small),
        refused(
            "text over its limit",
            format!("a: {}\n", "x".repeat(997)),
            ReadErrorKind::Limit,
            "text of 1001 bytes exceeds the limit of 1000",
        )
        .under(small),
        reads("values at their limit", list(99)).under(small),
        refused("values over their limit", list(100), ReadErrorKind::Limit, values).under(small),
        refused("JSON values over their limit", json(100), ReadErrorKind::Limit, values).under(small),
        reads("values of all documents at their limit", many(33)).under(small),
        refused("values of all documents over it", many(34), ReadErrorKind::Limit, values).under(small),
        refused("a million values", list(1_000_000), ReadErrorKind::Limit, "text has more than 100 values")
            .under(Limits { values: 100, ..Limits::default() }),
        reads("indentation at its limit", deep(960)).under(wide),
        refused(
            "indentation over its limit",
            deep(1000),
            ReadErrorKind::Limit,
            "values nest so deep that their indentation exceeds the limit of 100000 bytes",
        )
        .under(wide),
        reads("a key of a megabyte", format!("? {}\n: b\n", "k".repeat(1 << 20))),
        reads("a number of a megabyte", format!("a: 1{}\n", "0".repeat(200))),
        reads("a megabyte of underscores", format!("a: 1{}\n", "_".repeat(1 << 20))),
        reads("a megabyte of base 60", format!("a: 1{}\n", ":1".repeat(1 << 19))),
        reads("a megabyte of blanks", format!("a: \"{} b\"\n", " ".repeat(1 << 20))),
        reads("a megabyte of breaks", format!("a: |+\n{}", "\n".repeat(1 << 20))),
        reads("a hundred thousand keys", (0..100_000).map(|key| format!("k{key}: 1\n")).collect()),
        reads("a hundred thousand empty documents", "# c\n---\n".repeat(100_000)),
    ]
}

fn message_rows() -> Vec<Row> {
    let tags = format!("%TAG !e! {}\n---\n[{}]\n", "x".repeat(1 << 20), vec!["!e!y z"; 10_000].join(", "));
    let directives: String = (0..50_000).map(|tag| format!("%TAG !e{tag}! x\n")).collect();
    let duplicates: String =
        (0..2000).map(|map| format!("m{map}: {{{}}}\n", vec!["a: 1"; 100].join(", "))).collect();
    let long = "k".repeat(100_000);
    let long_duplicates: String = (0..100).map(|_| format!("? {long}\n: 1\n")).collect();
    let unfit = (0..1300).map(|key| format!("[a{key}]: b\n")).collect::<String>()
        + &(0..100_000).map(|key| format!("k{key}: {{}}\n")).collect::<String>();
    let complex = format!("x:\n  ? [{}]\n  : b\n", vec!["{}"; 300_000].join(", "));
    let invalid = "!!int ".to_owned() + &"x".repeat(1 << 20);
    vec![
        reads("a long tag at every value", tags).whole(),
        reads("many tag directives", format!("{directives}---\na: b\n")).whole(),
        reads("small keys that stand again and again", duplicates),
        reads("long keys that stand again and again", long_duplicates),
        // Each reader says so in its own words.
        refused("outermost keys that are lists", unfit, ReadErrorKind::Value, ""),
        refused("a key that is a large list", complex, ReadErrorKind::Value, "…}"),
        refused(
            "a message about a megabyte",
            format!("x:\n  ? [{invalid}]\n  : 1\n"),
            ReadErrorKind::Value,
            "…",
        ),
        refused("a control character", "a: \u{1}".into(), ReadErrorKind::Syntax, "not allowed"),
        refused("an open quote", format!("a: \"{}", "x".repeat(1 << 20)), ReadErrorKind::Syntax, "stream"),
        refused("an unknown anchor", "a: *b".into(), ReadErrorKind::Value, "unknown anchor 'b' referenced"),
    ]
}

fn printable(document: Document) -> Result<Node, ReadError> {
    document.complex_key.map_or(Ok(document.node), Err)
}

fn not_utf8() -> Outcome {
    for bytes in [&b"a: \xff"[..], b"\xfe\xff\0", b"a: \xf0\x9f\x98", b"a: \xed\xa0\x80", b"a: \xc0\x80"] {
        for resolver in RESOLVERS {
            let Err(error) = documents_from_slice(bytes, resolver, &Limits::default()) else {
                return Err(format!("{bytes:?} was read"));
            };
            if error.kind() != ReadErrorKind::Syntax {
                return Err(error.to_string());
            }
        }
    }
    Ok(())
}

#[test]
fn hostile_text_costs_no_more_than_its_size_allows() {
    let thread = std::thread::Builder::new().stack_size(Limits::STACK_BYTES).spawn(run_table).unwrap();
    thread.join().unwrap();
}

fn run_table() {
    let mut matrix = Matrix::new("hostile inputs (yaml)");
    for row in [depth_rows(), alias_rows(), size_rows(), message_rows()].into_iter().flatten() {
        matrix.row(row.name, row.run());
    }
    matrix.row("bytes that are no UTF-8", not_utf8());
    matrix.finish().unwrap_or_else(|failed| panic!("{failed}"));
}
