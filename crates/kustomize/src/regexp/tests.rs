//! What expressions mean, and how they are refused.

use super::*;

#[test]
fn a_plain_word_stands_for_the_texts_that_it_stands_for_as_an_expression() {
    let patterns = ["Deployment", "things.example.com", "a-b_c", "..", "a/b:c@d"];
    let texts = ["", "Deployment", "Deployments", "aDeployment", "things.example.com", "thingsXexample.com"];
    let more = ["a-b_c", "ab", "a\n", "é.", "a/b:c@d", "Deployment\n"];
    for pattern in patterns {
        let plain = Whole::new(pattern).expect("an expression");
        assert!(matches!(plain, Whole::Plain(_)), "{pattern}");
        let expression = Whole::expression(pattern).expect("an expression");
        for text in texts.iter().chain(&more) {
            assert_eq!(plain.is_match(text), expression.is_match(text), "{pattern:?} and {text:?}");
        }
    }
}

#[test]
fn expressions_are_refused_in_the_words_of_go() {
    for (pattern, message) in [
        ("^(?:[)$", "missing closing ]: `[)$`"),
        ("^(?:*)$", "missing argument to repetition operator: `*`"),
        ("a|+", "missing argument to repetition operator: `+`"),
        ("(?=x)", "invalid or unsupported Perl syntax: `(?=`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("x{1001}", "invalid repeat count: `{1001}`"),
        ("^(?:\\)$", "missing closing ): `^(?:\\)$`"),
        ("^(?:a))$", "unexpected ): `^(?:a))$`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a+?{2}b", "invalid nested repetition operator: `+?{2}`"),
        ("\\q", "invalid escape sequence: `\\q`"),
        ("\\8", "invalid escape sequence: `\\8`"),
        ("(?P<n)$", "invalid named capture: `(?P<n)$`"),
        ("(?<a-b>x)", "invalid named capture: `(?<a-b>`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("\\p{gc=L}", "invalid character class range: `\\p{gc=L}`"),
        ("\\p{sc=Greek}", "invalid character class range: `\\p{sc=Greek}`"),
        ("\\p{Emoji}", "invalid character class range: `\\p{Emoji}`"),
        ("[\\p{^}]", "invalid character class range: `\\p{^}`"),
        ("(?i)*", "missing argument to repetition operator: `*`"),
        ("(x{500}){3}", "invalid repeat count: `{3}`"),
        ("((a{1000}){1000})", "invalid repeat count: `{1000}`"),
        ("(?:a|(?:b{2,}c)){501,}d", "invalid repeat count: `{501,}`"),
        ("(x{0,1000}){0,2}?", "invalid repeat count: `{0,2}?`"),
    ] {
        let error = compile(pattern).expect_err(pattern);
        assert_eq!(error, format!("error parsing regexp: {message}"), "{pattern}");
    }
}

#[test]
fn expressions_mean_what_they_mean_in_go() {
    for (pattern, text, expected) in [
        ("^a{$", "a{", true),
        ("^{,5}$", "{,5}", true),
        ("^a{01}$", "a{01}", true),
        ("^\\d$", "٣", false),
        ("^\\w+$", "é", false),
        ("^[a[b]+$", "[ab", true),
        ("^[a&&b]+$", "&", true),
        ("^[]a]+$", "]", true),
        ("^[^\\d]$", "a", true),
        ("^[a-]+$", "-", true),
        ("^[\\w-]+$", "a-b", true),
        ("^[[:alpha:]]+$", "ab", true),
        ("^\\Qa.b\\E$", "a.b", true),
        ("^\\Qa.b\\E$", "axb", false),
        ("^\\x41\\x{42}\\101$", "ABA", true),
        ("^(?i)ABC$", "abc", true),
        ("^(?i:A)b$", "aB", false),
        ("^(?P<x>a)(?<y>b)$", "ab", true),
        ("^\\pL\\p{Greek}$", "aα", true),
        ("^a.c$", "a\nc", false),
        ("^\\<a\\>$", "<a>", true),
        ("^()*$", "", true),
        ("^a#b c$", "a#b c", true),
        ("\\bweb", "éweb", true),
        ("^é\\bw", "éw", true),
        ("^\\Bw", "éw", false),
        ("^é\\Bé$", "éé", true),
        ("a\\Bb", "ab", true),
        ("\\B", "aéa", false),
        ("\\B", "é", true),
        ("(?i)\\bWEB\\b", "éweb", true),
        ("^\\p{^Greek}\\P{^Greek}$", "aα", true),
        ("^[\\p{^Greek}]$", "α", false),
        ("\\p{Cs}", "a", false),
        ("^[^\\P{Cs}]", "a", false),
        ("^\\x{D800}", "a", false),
        ("^[^\\x{D800}]$", "a", true),
        ("^[\\x{D7FF}-\\x{E000}]$", "\u{e000}", true),
        ("^[\\x{D801}-\\x{DFFF}a]$", "a", true),
        ("^a(?i)*B$", "aab", true),
        ("^a(?i)*B$", "aAb", false),
        ("^a+(?i)?b$", "b", true),
        ("^a+\\Q\\E?b$", "b", true),
        ("^(ab|c)+(?i){2}D$", "abcd", true),
        ("^(x{2,}){500}y", "y", false),
        ("^((x{1000}){0}){1000}y", "y", true),
    ] {
        let regex = compile(pattern).expect(pattern);
        assert_eq!(regex.is_match(text), expected, "{pattern} on {text}");
    }
}

#[test]
fn what_ends_no_name_is_searched_for_once_and_a_class_is_checked_once() {
    let open = "[[:a]".repeat(12_000);
    let mut translation = Translation::of(&open);
    assert!(translation.run().is_ok() && translation.checks.no_name_ends);
    let many = "\\pL[\\p{L}\\P{l}]".repeat(4_000);
    let mut translation = Translation::of(&many);
    assert!(translation.run().is_ok());
    assert_eq!(translation.checks.classes.len(), 1);
}

#[test]
fn expressions_of_a_large_size_are_refused() {
    let largest = "a".repeat(MAX_BYTES);
    assert!(compile(&largest).is_ok());
    let larger = format!("{largest}a");
    let error = compile(&larger).expect_err("too large");
    assert_eq!(error, format!("error parsing regexp: expression too large: `{larger}`"));
}
