//! Rows of the contract's table that end in `disp` or `send`.

use serde_json::{Value, json};

use super::{
    canary::{
        self, LOGIN, OLD_PROXY, PROXY, PROXY_LOGIN, PROXY_PASSWORD, QUERY, SPEC_LOGIN, SPEC_PASSWORD,
        SPEC_PROXY, SPEC_QUERY, TOKEN,
    },
    catalogue::Catalogue,
    table::{Row, Told, run},
    untried,
};
use crate::{server::Reply, tls::Authority};

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

/// NC-042, NC-045, NC-049, NC-053, NC-055, NC-056, NC-058
#[tokio::test(start_paused = true)]
async fn every_failure_of_a_provider_is_told_as_the_contract_says_and_shows_no_secret() {
    millrace_net::install_crypto_provider();
    let authority = Authority::new();
    let mut catalogue = Catalogue::new(canary::OF_PROVIDERS);
    let key = authority.client().1.lines().nth(1).expect("a line of the key");
    catalogue.add_place("private key of a certificate's Secret", key);
    let rows = [
        unknown(),
        missing_secrets(),
        bad_headers(),
        bad_certificates(),
        bad_proxies(),
        bad_addresses(),
        refusals(),
        silences(),
        unreachable(),
        hopeless(),
        untrusted(),
        behind_proxies(),
    ];
    for row in rows.into_iter().flatten() {
        catalogue.row(&row.title(), async |canaries| run(row, &authority, canaries).await).await;
    }
    catalogue.untried(untried::ROWS);
    catalogue.finish();
}

/// Providers that are not there, or not known.
fn unknown() -> Vec<Row> {
    let hint = "provider discord not supported\nspec.type is \"discord\", this version knows: generic, generic-hmac, \
                msteams, slack";
    vec![
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
    ]
}

/// Secrets that can not be read.
fn missing_secrets() -> Vec<Row> {
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
    rows
}

/// Headers that are no map, which are not quoted.
fn bad_headers() -> Vec<Row> {
    let decoding = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
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
    .collect()
}

/// Certificates that can not be used.
fn bad_certificates() -> Vec<Row> {
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
    rows.into_iter().map(row).collect()
}

/// Proxies that can not be used.
fn bad_proxies() -> Vec<Row> {
    let long = format!("http://{PROXY}{}", "x".repeat(2048));
    let broken = format!("http://{PROXY_LOGIN}:{PROXY_PASSWORD}@h:port/{PROXY}");
    let rows = [
        (json!({ "canary": "x" }), "key 'address' not found".to_owned()),
        (json!({ "address": "" }), "proxy address is empty".to_owned()),
        (
            json!({ "address": format!("ftp://{PROXY_LOGIN}@h/{PROXY}") }),
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
    let outdated = format!("http://me:{OLD_PROXY}@h:port/x");
    rows.push(Row::of("proxy Secret errors: `proxy`", "generic", told).cred(json!({ "proxy": outdated })));
    rows
}

/// Addresses that are no URL, in the words of their types.
fn bad_addresses() -> Vec<Row> {
    let told = notifier("HMAC key is empty");
    let mut rows = vec![
        Row::of("generic-hmac without token", "generic-hmac", told.clone()).cred(json!({ "token": null })),
        Row::of("generic-hmac with an empty token", "generic-hmac", told.clone())
            .cred(json!({ "token": "" })),
        Row::of("generic-hmac with half a login", "generic-hmac", told).cred(json!({ "password": null })),
    ];
    // In a spec the address is no secret, but a login and a long query in it are.
    let spec = format!("http://{SPEC_LOGIN}:{SPEC_PASSWORD}@h/%zz?key={SPEC_QUERY}");
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
    rows
}

/// A server that repeats all that it was sent, as some do in their errors.
fn echo(status: u16) -> Reply {
    Reply { echo: true, ..Reply::status(status, "nope") }
}

/// Answers, quoted without what was sent.
fn refusals() -> Vec<Row> {
    let mut rows = Vec::new();
    for type_ in TYPES {
        for status in [400, 401, 404, 501] {
            let text = format!(
                "postMessage failed: request failed: request failed with status code {status}: nope …"
            );
            rows.push(Row::of("endpoint 400", type_, Told::Send(text)).replies(vec![echo(status)]));
        }
        let busy = Reply { times: 1, ..echo(500) };
        rows.push(Row::of("endpoint 500, then 200", type_, Told::Nothing).replies(vec![busy]).requests(2));
        rows.push(Row::of("success", type_, Told::Nothing));
    }
    rows
}

/// What is awaited when the time is over is told, and so is what could not be reached.
fn silences() -> Vec<Row> {
    let gave_up = "POST {server}***** giving up after ";
    let deadline = "context deadline exceeded";
    let hung = Reply { delay: std::time::Duration::from_mins(10), ..Reply::default() };
    let mut rows = Vec::new();
    for type_ in TYPES {
        let told = Told::Send(format!("{EXECUTE}{gave_up}5 attempt(s)"));
        let row = Row::of("endpoint 500 x5", type_, told).spec(json!({ "timeout": "60s" }));
        rows.push(row.replies(vec![echo(500)]).requests(5));
        let told = Told::Send(format!("{EXECUTE}{deadline}"));
        rows.push(
            Row::of("endpoint 503 until the deadline", type_, told).replies(vec![echo(503)]).requests(4),
        );
        let told = Told::Send(format!("{EXECUTE}{gave_up}1 attempt(s): {deadline}"));
        rows.push(Row::of("endpoint hangs", type_, told).replies(vec![hung.clone()]));
    }
    rows
}

/// A connection that is refused is tried again like a busy server, and told in the end: after the contract's own words
/// where the deadline comes first.
fn unreachable() -> Vec<Row> {
    let address = json!({ "address": format!("http://{{closed}}/canary-path?key={QUERY}") });
    let refused = "Post \"http://{closed}*****\": dial tcp {closed}: connect: connection refused";
    let post = "POST http://{closed}***** giving up after";
    let mut rows = Vec::new();
    for type_ in TYPES {
        let told = Told::Send(format!("{EXECUTE}{post} 5 attempt(s): {refused}"));
        let row = Row::of("connection refused x5", type_, told).spec(json!({ "timeout": "60s" }));
        rows.push(row.cred(address.clone()).requests(0));
        let told = Told::Send(format!("{EXECUTE}context deadline exceeded\n{post} 4 attempt(s): {refused}"));
        let row = Row::of("connection refused until the deadline", type_, told);
        rows.push(row.cred(address.clone()).requests(0));
    }
    let told = |shown: &str| {
        let refused = format!("Post \"http://{shown}\": dial tcp {{closed}}: connect: connection refused");
        let shown = shown.replace(":***@", ":xxxxx@");
        let gave_up = format!("POST http://{shown} giving up after 4 attempt(s): {refused}");
        Told::Send(format!("{EXECUTE}context deadline exceeded\n{gave_up}"))
    };
    let login = format!("http://{SPEC_LOGIN}:{SPEC_PASSWORD}@{{closed}}/plain?key={SPEC_QUERY}");
    let in_spec =
        Row::of("connection refused, login in the spec", "msteams", told("*****:***@{closed}/plain?*****"));
    rows.push(in_spec.spec(json!({ "address": login })).cred(json!({ "address": null })).requests(0));
    let login = json!({ "address": format!("http://{LOGIN}:{LOGIN}@{{closed}}/canary-path") });
    let in_secret =
        Row::of("connection refused, login in the Secret", "generic", told("*****:***@{closed}*****"));
    rows.push(in_secret.cred(login).requests(0));
    rows
}

/// What can not work is tried once.
fn hopeless() -> Vec<Row> {
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
        rows.push(row.cred(json!({ "address": "ftp://h/canary-path" })).requests(0));
        let cause = "address 169.254.169.254 of '169.254.169.254' is refused by the egress policy\nit is link-local \
                     or a cloud's metadata service; --allow-egress-cidr=169.254.169.254 opens it";
        let row = once(type_, "address closed by the egress policy", "Post", "http://2852039166*****", cause);
        rows.push(row.cred(json!({ "address": "http://2852039166/canary-path" })).requests(0));
        let headers = vec![("location".to_owned(), format!("/{QUERY}"))];
        let row =
            once(type_, "more than 10 redirects", "Post", "{server}*****", "stopped after 10 redirects");
        rows.push(row.replies(vec![Reply { headers, ..Reply::status(307, "") }]).requests(11));
    }
    let cause = "net/http: invalid header field value for \"Authorization\"";
    let row = once("slack", "token with trailing newline", "Post", "{server}*****", cause);
    rows.push(row.cred(json!({ "token": format!("{TOKEN}\n") })).requests(0));
    let cause = "net/http: invalid header field value for \"X\"";
    let row = once("generic", "header with a control character", "Post", "{server}*****", cause);
    rows.push(row.cred(json!({ "headers": "X: \"canary-\\x01\"" })).requests(0));
    rows
}

/// Servers whose certificate is not trusted, or that do not trust the client's.
fn untrusted() -> Vec<Row> {
    let address = json!({ "address": "{tls}/canary-path" });
    let with = |name, type_, told, tls| {
        let requests = usize::from(matches!(told, Told::Nothing));
        let row = Row::of(name, type_, told).cred(address.clone()).requests(requests);
        Row { tls, ..row.spec(json!({ "certSecretRef": { "name": "tls" } })) }
    };
    let post = |cause: &str| {
        let text = "{tls}***** giving up after 1 attempt(s): Post \"{tls}*****\": ";
        Told::Send(format!("{EXECUTE}POST {text}{cause}"))
    };
    let mut rows = Vec::new();
    for type_ in TYPES {
        let row = Row::of(
            "endpoint with untrusted certificate",
            type_,
            post("tls: failed to verify certificate: …"),
        );
        rows.push(row.cred(address.clone()).requests(0));
        let identity = json!({ "ca.crt": "{ca}", "tls.crt": "{certificate}", "tls.key": "{key}" });
        rows.push(with("success with a client certificate", type_, Told::Nothing, identity));
        let anonymous = json!({ "ca.crt": "{ca}" });
        rows.push(with(
            "no client certificate where one is demanded",
            type_,
            post("remote error: …"),
            anonymous,
        ));
        let other = json!({ "tls.crt": "{certificate}", "tls.key": "{key}" });
        let cause = post("tls: failed to verify certificate: …");
        rows.push(with("client certificate for an untrusted endpoint", type_, cause, other));
    }
    rows
}

/// Proxies that can not be reached, or refuse.
fn behind_proxies() -> Vec<Row> {
    let send = |name, text: &str| Row::of(name, "generic", Told::Send(text.to_owned())).requests(0);
    let through = |row: Row, px: Value| Row { px, ..row.spec(json!({ "proxySecretRef": { "name": "px" } })) };
    let px =
        |address: &str| json!({ "address": address, "username": PROXY_LOGIN, "password": PROXY_PASSWORD });
    let refused = format!(
        "{EXECUTE}context deadline exceeded\nPOST {{server}}***** giving up after 4 attempt(s): Post \
         \"{{server}}*****\": proxyconnect tcp: dial tcp {{closed}}: connect: connection refused"
    );
    let forbidden = format!(
        "{EXECUTE}proxyconnect tcp: address 169.254.169.254 of '169.254.169.254' is refused by the egress policy\n…"
    );
    let answered = "postMessage failed: request failed: request failed with status code 407: nope …";
    let login = |password: &str| format!("http://me:{password}@{{closed}}");
    vec![
        through(send("proxy refuses the connection", &refused), px("http://{closed}")),
        send("proxy of the spec refuses the connection", &refused)
            .spec(json!({ "proxy": login(SPEC_PROXY) })),
        send("outdated proxy refuses the connection", &refused).cred(json!({ "proxy": login(OLD_PROXY) })),
        through(send("proxy closed by the egress policy", &forbidden), px("socks5://169.254.169.254:1080")),
        through(send("proxy refuses the request", answered), px("{server}"))
            .replies(vec![echo(407)])
            .requests(1),
    ]
}
