//! Targets that are made to break their build: each ends in objects or in the error it should, on a small stack, and allocates
//! no more than its row allows.

mod failing;
mod loading;
mod making;
mod nesting;
mod tables;

use millrace_kustomize::{BuildError, ErrorKind, Limits, MemoryFiles, Options, Output, build};
use millrace_matrix::Matrix;

use crate::MEMORY;

/// The stack of the threads that engines run on.
const STACK_BYTES: usize = millrace_yaml::read::Limits::STACK_BYTES;
/// What a row may allocate for each byte of its files, all allocations added up, and beside it.
const COST_PER_BYTE: usize = 400;
const COST_BESIDE: usize = 64 << 20;
const TRIES: usize = 5;
/// Bytes of hints and of other errors that one error may have.
const MOST_TOLD: usize = 20 << 10;

type Outcome = Result<(), String>;

/// What a build ends in.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// So many objects.
    Objects(usize),
    /// The error of a limit whose text ends so.
    Limit(&'static str),
    /// An error of the input whose text has this in it.
    Input(&'static str),
}

/// Files, whose root is the target, and what they end in.
struct Row {
    name: &'static str,
    files: MemoryFiles,
    bytes: usize,
    limits: Limits,
    expected: Expected,
}

impl Row {
    fn new(name: &'static str, files: &[(&str, String)], expected: Expected) -> Self {
        let mut memory = MemoryFiles::new();
        for (path, text) in files {
            match text.strip_prefix("-> ") {
                Some(target) => memory.link(path, target),
                None => memory.insert(path, text.as_str()),
            }
        }
        let bytes = files.iter().map(|(_, text)| text.len()).sum();
        Self { name, files: memory, bytes, limits: Limits::default(), expected }
    }

    fn under(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn run(&self) -> Outcome {
        let allowed = self.bytes * COST_PER_BYTE + COST_BESIDE;
        for options in [Options::flux("/r"), Options::cli("/r")] {
            let options = Options { limits: self.limits, ..options };
            let measured = || {
                let before = MEMORY.total_allocated();
                let built = build(&self.files, "", &options);
                (built, MEMORY.total_allocated() - before)
            };
            let (built, mut cost) = measured();
            // Other tests of this process, if there are any, allocate as well.
            for _ in 0..TRIES {
                cost = if cost > allowed { measured().1 } else { break };
            }
            if cost > allowed {
                return Err(format!("{cost} bytes where {allowed} are allowed"));
            }
            self.judge(&built)?;
        }
        Ok(())
    }

    fn judge(&self, built: &Result<Output, BuildError>) -> Outcome {
        let matches = match (built, self.expected) {
            (Ok(output), Expected::Objects(count)) => output.resources.len() == count,
            (Err(error), Expected::Limit(end)) => {
                *error.kind() == ErrorKind::Limit && error.reference.ends_with(end)
            }
            (Err(error), Expected::Input(part)) => {
                matches!(error.kind(), ErrorKind::Input | ErrorKind::MalformedYaml)
                    && error.reference.contains(part)
            }
            (Ok(_), Expected::Limit(_) | Expected::Input(_)) | (Err(_), Expected::Objects(_)) => false,
        };
        let shown = match built {
            Ok(output) => {
                let _ = output.to_yaml();
                format!("{} objects", output.resources.len())
            }
            Err(error) if error.reference.len() > 70_000 => {
                return Err(format!("an error of {} bytes", error.reference.len()));
            }
            Err(error) if error.to_string().len() > error.reference.len() + MOST_TOLD => {
                return Err(format!("hints and other errors of {} bytes", error.to_string().len()));
            }
            Err(error) => {
                format!("{:?}: {}", error.kind(), error.reference.chars().take(300).collect::<String>())
            }
        };
        if matches { Ok(()) } else { Err(format!("{shown}, not {:?}", self.expected)) }
    }
}

fn config_map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{k: v}}\n---\n")
}

fn config_maps(count: usize) -> String {
    (0..count).map(|number| config_map(&format!("c{number}"))).collect()
}

#[test]
fn hostile_targets_cost_no_more_than_their_size_allows() {
    let thread =
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run_table).expect("a thread starts");
    thread.join().expect("the rows pass");
}

fn run_table() {
    let mut matrix = Matrix::new("hostile inputs (kustomize)");
    matrix.row("many large expressions", loading::many_expressions());
    matrix.row("a build that is cancelled while it reads", loading::cancelled());
    for row in [loading::rows(), tables::rows(), making::rows(), nesting::rows(), failing::rows()]
        .into_iter()
        .flatten()
    {
        matrix.row(row.name, row.run());
    }
    matrix.finish().expect("every row passes");
}
