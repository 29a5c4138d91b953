use super::*;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn invocation(line: &str) -> Invocation {
    match Request::read_build(&words(line)).action {
        Action::Build(invocation) => *invocation,
        other => panic!("{line}: {other:?}"),
    }
}

fn refusal(line: &str) -> String {
    match Request::read(&words(line)).action {
        Action::Refuse(text) => text,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn flags_are_read_in_every_form() {
    let invocation =
        invocation("-e A=1 -oout --load-restrictor=LoadRestrictionsNone --network a --helm-debug=f --env B");
    assert_eq!(invocation.dir, "a");
    assert_eq!(invocation.output.as_deref(), Some("out"));
    assert_eq!(invocation.options("", None).load_restrictor, LoadRestrictor::None);
}

#[test]
fn the_folder_is_where_the_caller_stands_unless_named() {
    assert_eq!(invocation("").dir, ".");
    assert_eq!(invocation("-- -a").dir, "-a");
    assert_eq!(invocation("-").dir, "-");
}

#[test]
fn mistakes_are_told_in_the_words_of_the_reference() {
    for (line, error) in [
        ("build --foo", "unknown flag: --foo"),
        ("build --e x a", "unknown flag: --e"),
        ("build -x", "unknown shorthand flag: 'x' in -x"),
        ("build -ea -hx", "unknown shorthand flag: 'x' in -x"),
        ("build --output", "flag needs an argument: --output"),
        ("build -o", "flag needs an argument: 'o' in -o"),
        ("build --=3", "bad flag syntax: --=3"),
        ("build ---x", "bad flag syntax: ---x"),
        (
            "build --network=maybe",
            "invalid argument \"maybe\" for \"--network\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
        ),
        ("build a b", "specify one path to kustomization.yaml"),
        (
            "build --load-restrictor none",
            "illegal flag value --load-restrictor none; legal values: [LoadRestrictionsRootOnly LoadRestrictionsNone]",
        ),
        ("build --reorder bad", "illegal flag value --reorder bad; legal values: [legacy none]"),
    ] {
        assert_eq!(refusal(line), format!("Error: {error}\n"), "{line}");
    }
    assert_eq!(
        refusal("edit"),
        "Error: unknown command \"edit\" for \"kustomize\"\nRun 'kustomize --help' for usage.\nhint: of kustomize's commands this program has build, version and help\n"
    );
    assert!(!refusal("bogus").contains("hint"));
}

#[test]
fn a_slip_of_the_keyboard_is_answered_with_what_was_meant() {
    for (word, meant) in
        [("versio", "\tversion\n"), ("biuld", "\tbuild\n"), ("bu", "\tbuild\n"), ("Verson", "\tversion\n")]
    {
        let expected = format!(
            "Error: unknown command \"{word}\" for \"kustomize\"\n\nDid you mean this?\n{meant}\nRun 'kustomize --help' for \
             usage.\n"
        );
        assert_eq!(refusal(word), expected);
    }
    assert!(!refusal("bldui").contains("Did you mean"));
}

/// As the reference answers, but for what is not known of this program.
#[test]
fn the_version_has_the_forms_that_scripts_ask_for() {
    let said = |line: &str| match Request::read(&words(line)).action {
        Action::Say(text) => text,
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(said("version"), "v5.8.1\n");
    assert_eq!(said("version extra"), "v5.8.1\n");
    let json = said("version -o json");
    let start = "{\n  \"version\": \"v5.8.1\",\n  \"gitCommit\": \"unknown\",\n";
    assert!(json.starts_with(start) && json.ends_with("\"\n}\n"), "{json}");
    assert!(said("version --output=yaml").starts_with("version: v5.8.1\ngitCommit: unknown\n"));
    assert_eq!(said("version -o xml"), "");
    assert_eq!(said("version --short"), "{v5.8.1  unknown   }\n");
    assert!(said("version --help").starts_with("Prints the kustomize version\n\nUsage:\n"));
    for (line, error) in [
        ("version --bogus", "unknown flag: --bogus"),
        ("version -o", "flag needs an argument: 'o' in -o"),
        ("version --short -o json", "--short and --output are mutually exclusive"),
    ] {
        let start = format!("Error: {error}\nUsage:\n  kustomize version [flags]\n");
        assert!(refusal(line).starts_with(&start), "{line}: {}", refusal(line));
    }
    let notices = Request::read(&words("version --short")).notices;
    assert_eq!(notices, ["Flag --short has been deprecated, and will be removed in the future."]);
}

#[test]
fn flags_that_are_going_to_go_are_named_even_before_a_mistake() {
    let request = Request::read_build(&words("--reorder none --foo"));
    assert_eq!(
        request.notices,
        [
            "Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead."
        ]
    );
    assert!(matches!(request.action, Action::Refuse(_)));
}

#[test]
fn help_is_an_answer_and_mistakes_win_over_it() {
    for line in ["build -h", "build --help a b", "help build"] {
        let action = Request::read(&words(line)).action;
        assert!(
            matches!(action, Action::Say(text) if text.starts_with("Build a set of KRM resources")),
            "{line}"
        );
    }
    assert!(matches!(Request::read(&[]).action, Action::Say(text) if text.contains("Available Commands")));
    assert_eq!(refusal("build -h --foo"), "Error: unknown flag: --foo\n");
}

#[test]
fn plugins_and_helm_are_never_run_and_a_hint_says_so() {
    let invocation = invocation("--enable-alpha-plugins");
    assert!(invocation.hint("external plugins disabled; unable to load external plugin 'X'").is_some());
    assert!(invocation.hint("must specify --enable-helm").is_none());
}
