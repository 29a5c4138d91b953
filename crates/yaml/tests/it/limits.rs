//! Input of any size and depth ends in a tree or an error, on a small stack.

use std::time::Duration;

use millrace_matrix::clock::processor_time;
use millrace_yaml::read::{Limits, ReadErrorKind, Resolver, documents, one};
use millrace_yaml::styled::Document;
use millrace_yaml::{Node, canonicalize, json, print};

const RESOLVERS: [Resolver; 2] = [Resolver::Kubernetes, Resolver::Kustomize];

/// Runs `work` on the stack that engine threads are given.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(Limits::STACK_BYTES).spawn(work).unwrap();
    thread.join().unwrap();
}

fn block(depth: usize) -> String {
    (0..depth).map(|level| format!("{}a:\n", " ".repeat(level))).collect()
}

#[test]
fn text_that_nests_too_deep_is_an_error() {
    on_a_small_stack(|| {
        let compact = format!("{}x", "- ".repeat(10_000));
        let explicit = "? ".repeat(10_000);
        for text in [
            block(10_000),
            "[".repeat(10_000),
            "{a: ".repeat(10_000),
            "[{a: ".repeat(10_000),
            compact,
            explicit,
        ] {
            for resolver in RESOLVERS {
                let err = one(&text, resolver, &Limits::default()).unwrap_err();
                assert_eq!(err.kind(), ReadErrorKind::Limit, "{err}");
                assert!(err.to_string().ends_with("exceeded max depth of 500"), "{err}");
            }
        }
    });
}

#[test]
fn the_deepest_styled_tree_is_read_cloned_printed_and_dropped() {
    on_a_small_stack(|| {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        let depth = Limits::MAX_DEPTH;
        let brackets = |open: &str, close: &str| format!("{}{}", open.repeat(depth), close.repeat(depth));
        for text in
            [brackets("[", "]"), brackets("{a: ", "}"), block(depth), format!("{}x", "- ".repeat(depth))]
        {
            let document = Document::read(&text, &limits).unwrap().unwrap();
            let printed = document.clone().print(usize::MAX).unwrap();
            assert!(printed.len() > depth);
        }
        for text in [block(10_000), "[".repeat(10_000), "{a: ".repeat(10_000), "? ".repeat(10_000)] {
            let err = Document::read(&text, &Limits::default()).map(|_| ()).unwrap_err();
            assert_eq!(err.kind(), ReadErrorKind::Limit, "{err}");
        }
    });
}

#[test]
fn the_deepest_tree_is_read_cloned_compared_printed_and_dropped() {
    on_a_small_stack(|| {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        let depth = Limits::MAX_DEPTH;
        for text in [format!("{}{}", "[".repeat(depth), "]".repeat(depth)), block(depth)] {
            for resolver in RESOLVERS {
                let node = one(&text, resolver, &limits).unwrap().node;
                let mut copy = node.clone();
                assert_eq!(copy, node);
                assert!(copy.same_value(&node));
                canonicalize(&mut copy).unwrap();
                assert!(!print::to_yaml(&copy).is_empty());
                assert!(!json::to_string(&copy).is_empty());
                assert!(serde_json::to_string(&copy).is_ok());
            }
        }
    });
}

#[test]
fn aliases_stop_at_go_yamls_ratio() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    for resolver in RESOLVERS {
        let err = one(&text, resolver, &Limits::default()).unwrap_err();
        assert_eq!(err.to_string(), "yaml: document contains excessive aliasing");
    }
}

#[test]
fn an_anchor_that_contains_itself_is_an_error() {
    for resolver in RESOLVERS {
        let err = one("a: &a [*a]", resolver, &Limits::default()).unwrap_err();
        assert_eq!(err.to_string(), "yaml: anchor 'a' value contains itself");
    }
}

#[test]
fn aliases_count_towards_depth() {
    let mut text = String::from("a0: &a0 [x]\n");
    for level in 1..600 {
        text.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    for resolver in RESOLVERS {
        let err = one(&text, resolver, &Limits::default()).unwrap_err();
        assert!(
            err.to_string().ends_with("exceeded max depth of 500") || err.to_string().ends_with("aliasing"),
            "{err}"
        );
    }
}

#[test]
fn text_and_documents_are_bounded_in_size() {
    let limits = Limits { text_bytes: 10, ..Limits::default() };
    assert_eq!(
        documents("a: 1\nb: 2\nc: 3\n", Resolver::Kubernetes, &limits).unwrap_err().kind(),
        ReadErrorKind::Limit
    );
    let limits = Limits { values: 10, ..Limits::default() };
    let err = one("[1,2,3,4,5,6,7,8,9,10]", Resolver::Kubernetes, &limits).unwrap_err();
    assert_eq!(err.to_string(), "yaml: line 1: text has more than 10 values");
}

/// Reads, prints and reads a text; the least time of some runs.
fn time(text: &str, resolver: Resolver) -> Duration {
    let run = || {
        let start = processor_time();
        if let Ok(document) = one(text, resolver, &Limits::default()) {
            let printed = print::to_yaml(&document.node);
            assert!(one(&printed, resolver, &Limits::default()).is_ok());
        }
        processor_time().saturating_sub(start)
    };
    (0..2).map(|_| run()).min().unwrap()
}

/// Each text was once quadratic in some reader.
#[test]
fn four_times_the_text_take_about_four_times_the_time() {
    type Text = fn(usize) -> String;
    let texts: [Text; 7] = [
        |size| (0..5 * size).map(|key| format!("key-{key}: {key}\n")).collect(),
        |size| format!("a: \"{} b\"", " ".repeat(50 * size)),
        |size| format!("[{}]", vec![r#"{"a":"é","b":[1,2]}"#; 4 * size].join(",")),
        |size| {
            format!("{{{}}}", (0..5 * size).map(|key| format!("k{key}: 1")).collect::<Vec<_>>().join(", "))
        },
        |size| format!("a: |\n{}", "  some line — with a dash\n".repeat(3 * size)),
        |size| format!("a: {}\n", "word\n  ".repeat(6 * size)),
        |size| format!("{}{}", "[".repeat(400), "1, ".repeat(10 * size)),
    ];
    for (index, text) in texts.into_iter().enumerate() {
        for resolver in RESOLVERS {
            // Quadratic growth would be 16 times. Caches may be cold, so further looks are taken.
            let is_linear =
                || time(&text(2000), resolver) < time(&text(500), resolver) * 9 + Duration::from_millis(5);
            assert!((0..4).any(|_| is_linear()), "text {index}, {resolver:?}");
        }
    }
}

#[test]
fn large_maps_find_their_keys() {
    let keys: String = (0..1000).map(|key| format!("key-{key}: {key}\n")).collect();
    let node = one(&keys, Resolver::Kubernetes, &Limits::default()).unwrap().node;
    assert_eq!(node.get("key-999").and_then(Node::as_i64), Some(999));
}
