//! What targets name and read: bases of bases, cycles, paths, very many objects, very large files, expressions.

use std::borrow::Cow;
use std::cell::Cell;

use millrace_kustomize::{
    Cancel, ErrorKind, FileKind, FileSystem, Limits, MemoryFiles, Options, ReadError, build,
};

use super::{Expected, MEMORY, Outcome, Row, config_map, config_maps};

/// A chain of bases, `count` targets long.
fn chain(count: usize) -> Vec<(String, String)> {
    let mut files = vec![("kustomization.yaml".to_owned(), "resources: [l1]".to_owned())];
    for level in 1..count {
        let next = if level + 1 == count { "a.yaml".to_owned() } else { format!("../l{}", level + 1) };
        files.push((format!("l{level}/kustomization.yaml"), format!("resources: [{next}]")));
        files.push((format!("l{level}/a.yaml"), config_map("a")));
    }
    files
}

/// Each of two folders of a level leads to both folders of the next.
fn diamonds(levels: usize) -> Vec<(String, String)> {
    let mut files = vec![("kustomization.yaml".to_owned(), "resources: [a0, b0]".to_owned())];
    for level in 0..levels {
        for side in ["a", "b"] {
            let next = level + 1;
            let text = if next == levels {
                "namePrefix: x-\n".to_owned()
            } else {
                format!("resources: [../a{next}, ../b{next}]\n")
            };
            files.push((format!("{side}{level}/kustomization.yaml"), text));
        }
    }
    files
}

fn row(name: &'static str, files: &[(String, String)], expected: Expected) -> Row {
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    Row::new(name, &files, expected)
}

fn root(name: &'static str, kustomization: &str, expected: Expected) -> Row {
    let files = [
        ("kustomization.yaml", kustomization.to_owned()),
        ("a.yaml", config_map("a")),
        ("b", "b".to_owned()),
    ];
    Row::new(name, &files, expected)
}

/// An object with aliases of a scalar whose tag has so many letters.
fn aliased_tag(letters: usize, aliases: usize) -> String {
    let tag = "t".repeat(letters);
    format!("{}k: &x !{tag} v\nl: [{}]\n", config_map("a").replace("---\n", ""), "*x, ".repeat(aliases))
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = target_rows();
    rows.extend(file_rows());
    rows.extend(expression_rows());
    rows
}

fn target_rows() -> Vec<Row> {
    let five = Limits { depth: 5, ..Limits::default() };
    let seven = Limits { targets: 7, ..Limits::default() };
    let six = Limits { targets: 6, ..Limits::default() };
    let few = Limits { targets: 100, ..Limits::default() };
    let deep = "kustomizations are nested deeper than the limit of 5";
    vec![
        row("bases in bases at the limit", &chain(5), Expected::Objects(1)).under(five),
        row("bases in bases over the limit", &chain(6), Expected::Limit(deep)).under(five),
        row(
            "bases in bases a thousand deep",
            &chain(1000),
            Expected::Limit("kustomizations are nested deeper than the limit of 100"),
        ),
        row("targets at the limit", &diamonds(2), Expected::Objects(0)).under(seven),
        row(
            "targets over the limit",
            &diamonds(2),
            Expected::Limit("the build loads more targets than the limit of 6"),
        )
        .under(six),
        row(
            "two bases in each of two bases, forty deep",
            &diamonds(40),
            Expected::Limit("the build loads more targets than the limit of 100"),
        )
        .under(few),
        Row::new(
            "a cycle",
            &[
                ("kustomization.yaml", "resources: [a]".into()),
                ("a/kustomization.yaml", "resources: [../b]".into()),
                ("b/kustomization.yaml", "resources: [../a]".into()),
            ],
            Expected::Input("cycle detected"),
        ),
        root("a target in itself", "resources: [.]", Expected::Input("cycle detected")),
        Row::new(
            "a cycle through a link",
            &[("kustomization.yaml", "resources: [a]".into()), ("a", "-> .".into())],
            Expected::Input("cycle detected"),
        ),
        Row::new(
            "a link to itself",
            &[("kustomization.yaml", "resources: [a.yaml]".into()), ("a.yaml", "-> a.yaml".into())],
            Expected::Input("a.yaml"),
        ),
        root("a path out of the root", "resources: [../../etc/passwd]", Expected::Input("/etc/passwd")),
        root("an absolute path", "resources: [/etc/passwd]", Expected::Input("/etc/passwd")),
        Row::new(
            "a link out of the root",
            &[("kustomization.yaml", "resources: [a.yaml]".into()), ("a.yaml", "-> ../../etc/passwd".into())],
            Expected::Input("a.yaml"),
        ),
    ]
}

fn file_rows() -> Vec<Row> {
    let ten = Limits { resources: 10, ..Limits::default() };
    let objects =
        |count| [("kustomization.yaml", "resources: [a.yaml]".to_owned()), ("a.yaml", config_maps(count))];
    let keys = |count: usize| -> String { (0..count).map(|key| format!("k{key}=big,")).collect() };
    let generator = |count| {
        let text = format!("configMapGenerator: [{{name: a, files: [{}]}}]", keys(count));
        let size = text.len() + 1000 * count;
        ([("kustomization.yaml", text), ("big", "x".repeat(1000))], size as u64)
    };
    let (ten_files, size) = generator(10);
    let (eleven_files, _) = generator(11);
    let bytes = Limits { bytes: size, ..Limits::default() };
    let many: String = (0..3000).map(|name| format!("- {{name: g{name}, literals: [a=b]}}\n")).collect();
    let env = |content: &str| {
        [
            ("kustomization.yaml", "configMapGenerator: [{name: a, envs: [e]}]".to_owned()),
            ("e", content.to_owned()),
        ]
    };
    let bomb = "a0: &a0 [x, x]\n".to_owned()
        + &(1..40).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect::<String>();
    vec![
        Row::new("objects at the limit", &objects(10), Expected::Objects(10)).under(ten),
        Row::new(
            "objects over the limit",
            &objects(11),
            Expected::Limit("the build has more objects than the limit of 10"),
        )
        .under(ten),
        Row::new("a file read until the limit", &ten_files, Expected::Objects(1)).under(bytes),
        Row::new("a file read beyond the limit", &eleven_files, Expected::Limit("bytes")).under(bytes),
        root("three thousand generators", &format!("configMapGenerator:\n{many}"), Expected::Objects(3000)),
        Row::new("an env file of one endless line", &env(&"x".repeat(1 << 20)), Expected::Objects(1)),
        Row::new(
            "aliases of a scalar with a very long tag",
            &[("kustomization.yaml", "resources: [a.yaml]".into()), ("a.yaml", aliased_tag(60_000, 60_000))],
            Expected::Objects(1),
        ),
        Row::new(
            "very many aliases of a scalar with a long tag",
            &[("kustomization.yaml", "resources: [a.yaml]".into()), ("a.yaml", aliased_tag(250, 2_000_000))],
            Expected::Input("aliases repeat more text"),
        ),
        root("aliases of aliases in a target", &bomb, Expected::Input("excessive aliasing")),
        Row::new(
            "aliases of aliases in an object",
            &[("kustomization.yaml", "resources: [a.yaml]".into()), ("a.yaml", bomb.clone())],
            Expected::Input("excessive aliasing"),
        ),
    ]
}

fn expression_rows() -> Vec<Row> {
    vec![
        root(
            "an expression that repeats repeats",
            "resources: [a.yaml]\npatches: [{target: {name: '((a{900}){900}){900}'}, patch: '- {op: remove, path: /data}'}]",
            Expected::Input("error parsing regexp"),
        ),
        root(
            "an image that repeats repeats",
            "resources: [a.yaml]\nimages: [{name: '((a{900}){900}){900}', newTag: x}]",
            Expected::Input("is not a regular expression"),
        ),
        Row::new(
            "a path that repeats repeats",
            &[
                (
                    "kustomization.yaml",
                    "resources: [a.yaml]\nreplacements: [{sourceValue: x, targets: [{select: {name: a}, fieldPaths: ['list.[n=((a{900}){900}){900}].x']}]}]"
                        .into(),
                ),
                ("a.yaml", config_map("a").replace("\ndata:", "\nlist: [{n: b}]\ndata:")),
            ],
            Expected::Input("error parsing regexp"),
        ),
        Row::new(
            "expressions that go back and forth elsewhere",
            &[
                (
                    "kustomization.yaml",
                    "resources: [a.yaml]\npatches: [{target: {name: '(a*)*(a|a)*b'}, patch: '- {op: remove, path: /data}'}]"
                        .into(),
                ),
                ("a.yaml", config_map(&"a".repeat(200_000))),
            ],
            Expected::Objects(1),
        ),
    ]
}

/// Each takes half a megabyte once it is compiled: patches keep one at a time, images a few.
pub(super) fn many_expressions() -> Outcome {
    const COUNT: usize = 60;
    let selector = r"'(\w{4}|\W{4})x'";
    let patches: String = (0..COUNT)
        .map(|_| format!("- {{target: {{name: {selector}}}, patch: '- {{op: remove, path: /data}}'}}\n"))
        .collect();
    let images: String = (0..COUNT).map(|_| format!("- {{name: {selector}, newTag: x}}\n")).collect();
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", format!("resources: [a.yaml]\npatches:\n{patches}"));
    files.insert("a.yaml", config_map("a"));
    let peak_of = |files: &MemoryFiles| {
        let before = MEMORY.max_allocated();
        let built = build(files, "", &Options::flux("/r"));
        built.map(|_| MEMORY.max_allocated() - before).map_err(|error| error.to_string())
    };
    let peak = peak_of(&files)?;
    if peak > 5 << 20 {
        return Err(format!("patches keep {peak} bytes"));
    }
    files.insert("kustomization.yaml", format!("resources: [a.yaml]\nimages:\n{images}"));
    let peak = peak_of(&files)?;
    if peak > 20 << 20 { Err(format!("images keep {peak} bytes")) } else { Ok(()) }
}

/// Raises a flag at the hundredth read.
struct Cancelling {
    files: MemoryFiles,
    reads: Cell<usize>,
    cancel: Cancel,
}

impl FileSystem for Cancelling {
    fn kind(&self, path: &str) -> Option<FileKind> {
        self.files.kind(path)
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        self.reads.set(self.reads.get() + 1);
        if self.reads.get() == 100 {
            self.cancel.cancel();
        }
        self.files.read(path)
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.files.list(path)
    }

    fn canonical(&self, path: &str) -> Option<String> {
        self.files.canonical(path)
    }
}

pub(super) fn cancelled() -> Outcome {
    let mut files = MemoryFiles::new();
    for (path, text) in diamonds(40) {
        files.insert(&path, text);
    }
    let options = Options::flux("/r");
    let files = Cancelling { files, reads: Cell::new(0), cancel: options.cancel.clone() };
    match build(&files, "", &options) {
        Err(error) if *error.kind() == ErrorKind::Cancelled && files.reads.get() <= 102 => Ok(()),
        Err(error) => Err(format!("after {} reads: {error}", files.reads.get())),
        Ok(_) => Err("the build went on".to_owned()),
    }
}
