//! What the program is asked to be: by its name, as in upstream's images, or by its first argument.

use std::fmt::Write as _;
use std::path::Path;

use crate::parts::Kind;

/// The version of Flux whose behaviour this program has.
const FLUX_VERSION: &str = "v2.9.4";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Run controllers.
    Controllers(Request),
    /// Print this and exit.
    Say(String),
    /// Print this as an error and exit.
    Refuse(String),
}

/// Which controllers to run, and with which flags.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The one controller that upstream's program of that name is; any set of them otherwise, chosen by a flag.
    pub(crate) only: Option<Kind>,
    /// The name in the usage text.
    pub(crate) name: String,
    /// The flags.
    pub(crate) flags: Vec<String>,
}

impl Program {
    /// Reads the command line, the program's own name included.
    pub(crate) fn of(words: &[String]) -> Self {
        let own = words.first().map(String::as_str).unwrap_or_default();
        let own = Path::new(own).file_name().map_or_else(|| "millrace".into(), |name| name.to_string_lossy());
        let rest = words.get(1..).unwrap_or_default();
        if let Some(only) = Kind::named(&own) {
            return controllers(Some(only), &own, rest);
        }
        let Some((command, flags)) = rest.split_first() else { return Self::Refuse(usage(&own)) };
        match command.as_str() {
            "controllers" => controllers(None, &format!("{own} controllers"), flags),
            "version" | "--version" => Self::Say(version()),
            "help" | "--help" | "-h" => Self::Say(usage(&own)),
            name => match Kind::named(name) {
                Some(only) => controllers(Some(only), name, flags),
                None => Self::Refuse(unknown(&own, name)),
            },
        }
    }
}

fn controllers(only: Option<Kind>, name: &str, flags: &[String]) -> Program {
    if let Some(missing) = only.filter(|kind| !kind.is_built_in()) {
        return Program::Refuse(format!("this build has no {}\n", missing.name()));
    }
    Program::Controllers(Request { only, name: name.to_owned(), flags: flags.to_vec() })
}

/// What to say of a command that there is not.
fn unknown(own: &str, name: &str) -> String {
    let is_build = cfg!(feature = "kustomize") && name == "build";
    let meant = if is_build { format!("did you mean `{own} kustomize build`?\n") } else { String::new() };
    format!("unknown command {name:?}\n{meant}`{own} help` lists the commands\n")
}

fn version() -> String {
    format!("millrace: v{}\nflux: {FLUX_VERSION}\n", env!("CARGO_PKG_VERSION"))
}

fn usage(own: &str) -> String {
    let mut text = format!(
        "Usage: {own} <command> [flags]\n\nCommands:\n  \
         controllers               run all controllers in this process, or those of --controllers=source,kustomize,…\n"
    );
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_built_in()) {
        let name = kind.name();
        writeln!(text, "  {name:<25} run this one alone, with the flags of Flux's program of that name")
            .expect("writing to a string can't fail");
    }
    if cfg!(feature = "kustomize") {
        text.push_str(
            "  kustomize build           build a folder as kustomize does; so does a program called kustomize\n",
        );
    }
    text.push_str(
        "  version                   print the versions of this program and of the Flux it stands in for\n",
    );
    write!(text, "\n`{own} <command> --help` lists the flags and feature gates of a command.\n")
        .expect("writing to a string can't fail");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(line: &[&str]) -> Program {
        Program::of(&line.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn request(only: Option<Kind>, name: &str, flags: &[&str]) -> Program {
        let flags = flags.iter().map(ToString::to_string).collect();
        Program::Controllers(Request { only, name: name.to_owned(), flags })
    }

    #[test]
    fn the_name_or_the_first_argument_says_which_controller_it_is() {
        for line in [
            &["/usr/local/bin/source-controller", "--log-level=debug"][..],
            &["millrace", "source-controller", "--log-level=debug"],
        ] {
            let expected = request(Some(Kind::Source), "source-controller", &["--log-level=debug"]);
            assert_eq!(program(line), expected, "{line:?}");
        }
        assert_eq!(
            program(&["source-controller", "version"]),
            request(Some(Kind::Source), "source-controller", &["version"])
        );
    }

    #[test]
    fn controllers_leaves_the_choice_to_a_flag() {
        let expected = request(None, "millrace controllers", &["--controllers=source"]);
        assert_eq!(program(&["./millrace", "controllers", "--controllers=source"]), expected);
    }

    #[test]
    fn other_words_print_and_exit() {
        let Program::Say(help) = program(&["millrace", "--help"]) else { panic!("help is printed") };
        let optional = ["source-controller", "kustomize build"];
        let optional = optional.into_iter().filter(|_| cfg!(all(feature = "source", feature = "kustomize")));
        for command in ["controllers", "version"].into_iter().chain(optional) {
            let line = format!("\n  {command:<26}");
            assert_eq!(help.matches(&line).count(), 1, "{command}: {help}");
        }
        assert!(
            matches!(program(&["millrace", "version"]), Program::Say(text) if text.contains("flux: v2.9.4\n"))
        );
        assert!(matches!(program(&["millrace"]), Program::Refuse(_)));
        assert!(
            matches!(program(&["millrace", "reticulate"]), Program::Refuse(text) if text == "unknown command \"reticulate\"\n`millrace help` lists the commands\n")
        );
        let Program::Refuse(text) = program(&["millrace", "build", "."]) else { panic!("it is refused") };
        assert_eq!(text.contains("did you mean `millrace kustomize build`?"), cfg!(feature = "kustomize"));
    }
}
