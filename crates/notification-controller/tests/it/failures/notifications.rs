//! Rows of the contract's table that end in `disp` or `send`.

use serde_json::{Value, json};

use super::{
    canary::{LOGIN, PASSWORD, PROXY, QUERY, TOKEN},
    table::{Row, Told, run},
};
use crate::server::Reply;

const TYPES: [&str; 4] = ["generic", "generic-hmac", "msteams", "slack"];

/// What stands before every error of a Provider's settings.
const SETTINGS: &str = "failed to initialize notifier for provider 'prov': ";

/// What stands before every error of a type's own.
const NOTIFIER: &str = "failed to initialize notifier for provider 'prov': failed to initialize notifier: ";

/// What stands before every error of a request.
const EXECUTE: &str = "postMessage failed: failed to execute request: ";

fn settings(text: &str) -> Told {
    Told::Dispatch(format!("{SETTINGS}{text}"))
}

fn notifier(text: &str) -> Told {
    Told::Dispatch(format!("{NOTIFIER}{text}"))
}

async fn run_all(rows: Vec<Row>) {
    millrace_net::install_crypto_provider();
    for row in rows {
        run(row).await;
    }
}

#[tokio::test(start_paused = true)]
async fn providers_that_are_not_there_or_not_known_are_named() {
    let hint = "provider discord not supported\nspec.type is \"discord\", this version knows: generic, generic-hmac, \
                msteams, slack";
    run_all(vec![
        Row {
            spec: None,
            ..Row::of(
                "Alert: providerRef missing object",
                "generic",
                Told::Dispatch(
                    "failed to read provider: Provider.notification.toolkit.fluxcd.io \"prov\" not found"
                        .into(),
                ),
            )
        },
        Row::of("Provider: type unknown to code", "discord", notifier(hint)),
    ])
    .await;
}

/// NC-045
#[tokio::test(start_paused = true)]
async fn secrets_that_can_not_be_read_are_named() {
    let mut rows = Vec::new();
    for type_ in TYPES {
        for (name, field) in [
            ("secretRef missing", "secretRef"),
            ("certSecretRef missing", "certSecretRef"),
            ("proxySecretRef missing", "proxySecretRef"),
        ] {
            let missing = settings("failed to get secret 'apps/n': secrets \"n\" not found");
            rows.push(Row::of(name, type_, missing).spec(json!({ field: { "name": "n" } })));
        }
        let long = format!("{{server}}/{QUERY}{}", "x".repeat(2049));
        let too_long = settings("invalid address in secret: address exceeds maximum length of 2048 bytes");
        rows.push(Row::of("Secret `address` > 2048", type_, too_long).cred(json!({ "address": long })));
    }
    run_all(rows).await;
}

#[tokio::test(start_paused = true)]
async fn headers_that_are_no_map_are_refused_without_being_quoted() {
    let decoding = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
    run_all(
        [
            ("foo", format!("{decoding}string into Go value of type map[string]string")),
            ("canary-as-text", format!("{decoding}string into Go value of type map[string]string")),
            ("- canary-in-a-list", format!("{decoding}array into Go value of type map[string]string")),
            ("A: [canary-nested]", format!("{decoding}array into Go value of type string")),
            ("A: [canary-open", "error converting YAML to JSON: yaml: line 1: …".to_owned()),
            ("A: *canary-alias", "error converting YAML to JSON: yaml: …".to_owned()),
        ]
        .into_iter()
        .map(|(headers, cause)| {
            let told = settings(&format!("failed to read headers from secret: {cause}"));
            Row::of("Secret `headers: foo`", "generic", told).cred(json!({ "headers": headers }))
        })
        .collect(),
    )
    .await;
}

/// NC-049
#[tokio::test(start_paused = true)]
async fn certificates_that_can_not_be_used_are_told_apart() {
    let none = "secret 'apps/tls' must contain either 'ca.crt' or both 'tls.crt' and 'tls.key'";
    let rows = [
        (json!({ "canary": "x" }), none),
        (json!({ "ca.crt": "" }), none),
        (json!({ "tls.crt": "canary-c" }), "secret 'apps/tls' contains 'tls.crt' but missing 'tls.key'"),
        (json!({ "tls.key": "canary-k" }), "secret 'apps/tls' contains 'tls.key' but missing 'tls.crt'"),
        (json!({ "ca.crt": "canary-ca" }), "failed to parse CA certificate"),
        (
            json!({ "tls.crt": "canary-c", "tls.key": "canary-k" }),
            "failed to parse TLS certificate and key: …",
        ),
    ];
    let row = |(tls, cause): (Value, &str)| {
        let told = settings(&format!("failed to get TLS config: {cause}"));
        let row = Row::of("TLS Secret errors", "msteams", told);
        Row { tls, ..row.spec(json!({ "certSecretRef": { "name": "tls" } })) }
    };
    run_all(rows.into_iter().map(row).collect()).await;
}

#[tokio::test(start_paused = true)]
async fn proxies_that_can_not_be_used_are_told_apart() {
    let long = format!("http://{PROXY}{}", "x".repeat(2048));
    let broken = format!("http://{LOGIN}:{PASSWORD}@h:port/{PROXY}");
    let rows = [
        (json!({ "canary": "x" }), "key 'address' not found".to_owned()),
        (json!({ "address": "" }), "proxy address is empty".to_owned()),
        (
            json!({ "address": format!("ftp://{LOGIN}@h/{PROXY}") }),
            "proxy URL must use one of the supported schemes (http, https, socks5), got 'ftp'".to_owned(),
        ),
        (
            json!({ "address": PROXY }),
            "proxy URL must use one of the supported schemes (http, https, socks5), got ''".to_owned(),
        ),
        (json!({ "address": long }), "proxy URL exceeds maximum length of 2048 characters".to_owned()),
        (
            json!({ "address": broken }),
            "failed to parse proxy address 'http://***@h:port*****': parse \"http://***@h:port*****\": …"
                .to_owned(),
        ),
    ];
    let row = |(px, cause): (Value, String)| {
        let told = settings(&format!("failed to get proxy URL: secret 'apps/px': {cause}"));
        Row {
            px,
            ..Row::of("proxy Secret errors", "slack", told)
                .spec(json!({ "proxySecretRef": { "name": "px" } }))
        }
    };
    let mut rows: Vec<_> = rows.into_iter().map(row).collect();
    let told = settings("invalid 'proxy' in secret 'apps/cred'");
    let outdated = format!("http://{LOGIN}:{PASSWORD}@h:port/{PROXY}");
    rows.push(Row::of("proxy Secret errors: `proxy`", "generic", told).cred(json!({ "proxy": outdated })));
    run_all(rows).await;
}

/// NC-042
#[tokio::test(start_paused = true)]
async fn addresses_that_are_no_url_are_refused_in_the_words_of_their_type() {
    let told = notifier("HMAC key is empty");
    let mut rows = vec![
        Row::of("generic-hmac without token", "generic-hmac", told.clone()).cred(json!({ "token": null })),
        Row::of("generic-hmac with an empty token", "generic-hmac", told.clone())
            .cred(json!({ "token": "" })),
        Row::of("generic-hmac with half a login", "generic-hmac", told).cred(json!({ "password": null })),
    ];
    // In a spec the address is no secret, but a login and a long query in it are.
    let spec = format!("http://{LOGIN}:{PASSWORD}@h/%zz?key={QUERY}");
    for (type_, start, quote) in [
        ("generic", "invalid hook URL ", ""),
        ("generic-hmac", "invalid hook URL ", ""),
        ("msteams", "invalid MS Teams webhook URL ", "'"),
        ("slack", "invalid Slack hook URL ", "'"),
    ] {
        let cause = "invalid URI for request";
        let told = notifier(&format!("{start}*****: {quote}parse \"*****\": {cause}{quote}"));
        rows.push(
            Row::of("bad URL in the Secret", type_, told).cred(json!({ "address": "canary/relative" })),
        );
        let told = notifier(&format!("{start}: {quote}parse \"\": empty url{quote}"));
        rows.push(Row::of("empty URL in the Secret", type_, told).cred(json!({ "address": "" })));
        let shown = "http://***@h/%zz?*****";
        let cause = "invalid URL escape \"%zz\"";
        let told = notifier(&format!("{start}{shown}: {quote}parse \"{shown}\": {cause}{quote}"));
        let row = Row::of("bad URL in the spec", type_, told).spec(json!({ "address": spec }));
        rows.push(row.cred(json!({ "address": null })));
    }
    run_all(rows).await;
}

/// A server that repeats all that it was sent, as some do in their errors.
fn echo(status: u16) -> Reply {
    Reply { echo: true, ..Reply::status(status, "nope") }
}

/// NC-053, NC-058
#[tokio::test(start_paused = true)]
async fn refusals_are_quoted_without_what_was_sent_to_them() {
    let mut rows = Vec::new();
    for type_ in TYPES {
        for status in [400, 401, 404, 501] {
            let text = format!(
                "postMessage failed: request failed: request failed with status code {status}: nope …"
            );
            rows.push(Row::of("endpoint 400", type_, Told::Send(text)).replies(vec![echo(status)]));
        }
        let busy = Reply { times: 1, ..echo(500) };
        rows.push(Row::of("endpoint 500, then 200", type_, Told::Nothing).replies(vec![busy]));
        rows.push(Row::of("success", type_, Told::Nothing));
    }
    run_all(rows).await;
}

/// NC-055, NC-056: what is awaited when the time is over is told, and so is what could not be reached.
#[tokio::test(start_paused = true)]
async fn endpoints_that_do_not_answer_are_given_up_with_their_reason() {
    let gave_up = "POST {server}***** giving up after ";
    let deadline = "context deadline exceeded";
    let hung = Reply { delay: std::time::Duration::from_mins(10), ..Reply::default() };
    let mut rows = Vec::new();
    for type_ in TYPES {
        let told = Told::Send(format!("{EXECUTE}{gave_up}5 attempt(s)"));
        let row = Row::of("endpoint 500 x5", type_, told).spec(json!({ "timeout": "60s" }));
        rows.push(row.replies(vec![echo(500)]));
        let told = Told::Send(format!("{EXECUTE}{deadline}"));
        rows.push(Row::of("endpoint 503 until the deadline", type_, told).replies(vec![echo(503)]));
        let told = Told::Send(format!("{EXECUTE}{gave_up}1 attempt(s): {deadline}"));
        rows.push(Row::of("endpoint hangs", type_, told).replies(vec![hung.clone()]));
    }
    run_all(rows).await;
}

/// A connection that is refused is tried again like a busy server, and told in the end: after the contract's own words
/// where the deadline comes first.
#[tokio::test(start_paused = true)]
async fn endpoints_that_can_not_be_reached_are_told_with_the_last_error() {
    let address = json!({ "address": format!("http://{{closed}}/canary-path?key={QUERY}") });
    let refused = "Post \"http://{closed}*****\": dial tcp {closed}: connect: connection refused";
    let post = "POST http://{closed}***** giving up after";
    let mut rows = Vec::new();
    for type_ in TYPES {
        let told = Told::Send(format!("{EXECUTE}{post} 5 attempt(s): {refused}"));
        let row = Row::of("connection refused x5", type_, told).spec(json!({ "timeout": "60s" }));
        rows.push(row.cred(address.clone()));
        let told = Told::Send(format!("{EXECUTE}context deadline exceeded\n{post} 4 attempt(s): {refused}"));
        rows.push(Row::of("connection refused until the deadline", type_, told).cred(address.clone()));
    }
    let login = format!("http://{LOGIN}:{PASSWORD}@{{closed}}/plain?key={QUERY}");
    let refused =
        "Post \"http://*****:***@{closed}/plain?*****\": dial tcp {closed}: connect: connection refused";
    let told = Told::Send(format!(
        "{EXECUTE}context deadline exceeded\nPOST http://*****:xxxxx@{{closed}}/plain?***** giving up after 4 \
         attempt(s): {refused}"
    ));
    let row = Row::of("connection refused, login in the spec", "msteams", told);
    rows.push(row.spec(json!({ "address": login })).cred(json!({ "address": null })));
    run_all(rows).await;
}

#[tokio::test(start_paused = true)]
async fn what_can_not_work_is_tried_once() {
    let once = |type_: &'static str, name: &'static str, method: &str, shown: &str, cause: &str| {
        let text =
            format!("{EXECUTE}POST {shown} giving up after 1 attempt(s): {method} \"{shown}\": {cause}");
        Row::of(name, type_, Told::Send(text))
    };
    let mut rows = Vec::new();
    for type_ in TYPES {
        let row = once(
            type_,
            "unsupported protocol scheme",
            "Post",
            "ftp://h*****",
            "unsupported protocol scheme \"ftp\"",
        );
        rows.push(row.cred(json!({ "address": "ftp://h/canary-path" })));
        let cause = "address 169.254.169.254 of '169.254.169.254' is refused by the egress policy\nit is link-local \
                     or a cloud's metadata service; --allow-egress-cidr=169.254.169.254 opens it";
        let row = once(type_, "address closed by the egress policy", "Post", "http://2852039166*****", cause);
        rows.push(row.cred(json!({ "address": "http://2852039166/canary-path" })));
        let headers = vec![("location".to_owned(), format!("/{QUERY}"))];
        let row =
            once(type_, "more than 10 redirects", "Post", "{server}*****", "stopped after 10 redirects");
        rows.push(row.replies(vec![Reply { headers, ..Reply::status(307, "") }]));
    }
    let cause = "net/http: invalid header field value for \"Authorization\"";
    let row = once("slack", "token with trailing newline", "Post", "{server}*****", cause);
    rows.push(row.cred(json!({ "token": format!("{TOKEN}\n") })));
    let cause = "net/http: invalid header field value for \"X\"";
    let row = once("generic", "header with a control character", "Post", "{server}*****", cause);
    rows.push(row.cred(json!({ "headers": "X: \"canary-\\x01\"" })));
    run_all(rows).await;
}

#[tokio::test(start_paused = true)]
async fn proxies_that_can_not_be_reached_are_told_without_their_login() {
    let through = |name, text: &str| {
        let row = Row::of(name, "generic", Told::Send(text.to_owned()));
        row.spec(json!({ "proxySecretRef": { "name": "px" } }))
    };
    let refused = "proxyconnect tcp: dial tcp {closed}: connect: connection refused";
    let px = |address: &str| json!({ "address": address, "username": LOGIN, "password": PASSWORD });
    let text = format!(
        "{EXECUTE}context deadline exceeded\nPOST {{server}}***** giving up after 4 attempt(s): Post \
         \"{{server}}*****\": {refused}"
    );
    let closed = Row { px: px("http://{closed}"), ..through("proxy refuses the connection", &text) };
    let text = format!(
        "{EXECUTE}proxyconnect tcp: address 169.254.169.254 of '169.254.169.254' is refused by the egress policy\n…"
    );
    let forbidden = Row {
        px: px("socks5://169.254.169.254:1080"),
        ..through("proxy closed by the egress policy", &text)
    };
    let answered = "postMessage failed: request failed: request failed with status code 407: nope …";
    let echoing = Row { px: px("{server}"), ..through("proxy refuses the request", answered) };
    run_all(vec![closed, forbidden, echoing.replies(vec![echo(407)])]).await;
}
