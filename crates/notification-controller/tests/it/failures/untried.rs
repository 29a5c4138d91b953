//! Rows of the contract's table that this version can't meet, and why.

const TYPE: &str =
    "providers of this type come later, and until then they are refused by name, which is a row";
const COMMIT: &str = "the types that set commit statuses come later";
const COMMENT: &str = "the types that comment on change requests come later";

pub(super) const ROWS: &[(&str, &str)] = &[
    ("discord", TYPE),
    ("rocket", TYPE),
    ("googlechat", TYPE),
    ("webex", TYPE),
    ("lark", TYPE),
    ("matrix", TYPE),
    ("opsgenie", TYPE),
    ("alertmanager", TYPE),
    ("grafana", TYPE),
    ("pagerduty", TYPE),
    ("zulip", TYPE),
    ("zoom", TYPE),
    ("incident.io", TYPE),
    ("telegram", TYPE),
    ("sentry", TYPE),
    ("datadog without token", TYPE),
    ("nats, googlepubsub, azureeventhub", TYPE),
    ("otel `http` address with TLS material", TYPE),
    ("github* no creds", COMMIT),
    ("github* address with 3 parts", COMMIT),
    ("gitea bad repo / proxy / token", COMMIT),
    ("gitea unreachable", COMMIT),
    ("gitlab*, bitbucket without token", COMMIT),
    ("bitbucket token without `:` or with two", COMMIT),
    ("bitbucketserver ssh address", COMMIT),
    ("commitStatusExpr: bad, wrong type, missing key, empty result", COMMIT),
    ("commit-status provider, error event without revision", COMMIT),
    ("revision `6.5.0`", COMMIT),
    ("severity `trace` with a commit key", COMMIT),
    ("change_request `abc`", COMMENT),
    (
        "Receiver: bad CEL",
        "CEL comes later, and until then any expression stalls the Receiver, which is a row",
    ),
];
