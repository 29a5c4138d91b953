//! References into another namespace.

use anyhow::{Result, ensure};
use millrace_e2e::{SOON, Verdict, config_map};
use millrace_harness::until;

use super::world::File::Text;
use super::world::{ALICE, MALLORY, Rows, World, kustomization};

/// A name that leads to Alice's Secret, for whoever puts it into a URL as it is.
const WAY_TO_SECRET: &str = "../../alice/secrets/token";

pub(super) async fn rows(world: &World) -> Rows {
    vec![
        ("a source of another namespace", source(world).await),
        ("variables from a Secret of another namespace", variables(world, "Secret", "secrets").await),
        (
            "variables from a ConfigMap of another namespace",
            variables(world, "ConfigMap", "configmaps").await,
        ),
        ("a login from a Secret of another namespace", login(world).await),
        ("a dependency of another namespace tells nothing but its state", dependency(world).await),
        ("an alert about objects of another namespace", alert(world).await),
        ("a provider's Secret of another namespace", provider(world).await),
        ("a webhook for an object of another namespace", receiver(world).await),
        ("a source at the metadata service of the cloud", metadata_service(world).await),
        ("a provider at the metadata service of the cloud", provider_of_the_cloud(world).await),
        ("CVE-2022-39272, an interval that no number holds", endless_interval(world).await),
    ]
}

async fn source(world: &World) -> Result<()> {
    let more = format!("  sourceRef:\n    kind: GitRepository\n    name: app\n    namespace: {ALICE}\n");
    let map = config_map("a", "1");
    world.attempt("source", &more, &[("a.yaml", Text(&map))]).await?;
    let message =
        format!("can't access 'GitRepository/{ALICE}/app', cross-namespace references have been blocked");
    world.is_stopped("source", "AccessDenied", &message).await
}

/// A reference to variables has no namespace: what is left is a name that leads there, and a field that doesn't exist.
async fn variables(world: &World, kind: &str, plural: &str) -> Result<()> {
    let (name, map) = (format!("variables-{plural}"), config_map("a", "${token}"));
    let way = WAY_TO_SECRET.replace("secrets", plural);
    let more = format!("  postBuild:\n    substituteFrom:\n    - kind: {kind}\n      name: {way}\n");
    world.attempt(&name, &more, &[("a.yaml", Text(&map))]).await?;
    let message = format!(
        "post build failed for 'ConfigMap.v1.[noGrp]/a': substitute from '{kind}/{way}' error: {plural} \"{way}\" not found"
    );
    world.fails(&name, "BuildFailed", &message).await
}

async fn login(world: &World) -> Result<()> {
    let source = world.source("login", "app");
    world.story.apply(&format!("{source}  secretRef:\n    name: {WAY_TO_SECRET}\n")).await?;
    let prefix = format!("failed to get secret 'mallory/{WAY_TO_SECRET}': ");
    let message = format!("{prefix}{prefix}secrets \"{WAY_TO_SECRET}\" not found");
    let verdict =
        Verdict { type_: "Ready", status: "False", reason: "AuthenticationFailed", message: &message };
    world.story.verdict("GitRepository/login", verdict).await?;
    world.is_unharmed().await
}

/// The contract allows dependencies of other namespaces, also where tenants are kept apart.
async fn dependency(world: &World) -> Result<()> {
    let map = config_map("a", "1");
    let more = format!(
        "  dependsOn:\n  - name: app\n    namespace: {ALICE}\n  - name: nope\n    namespace: {ALICE}\n"
    );
    world.attempt("dependency", &more, &[("a.yaml", Text(&map))]).await?;
    let message = format!(
        "dependency '{ALICE}/nope' not found: kustomizations.kustomize.toolkit.fluxcd.io \"nope\" not found"
    );
    world.fails("dependency", "DependencyNotReady", &message).await
}

async fn alert(world: &World) -> Result<()> {
    world
        .story
        .apply(&format!(
            "apiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Provider\nmetadata:\n  name: spy\nspec:\n  type: \
             generic\n  address: {{sink}}/spy\n---\napiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: \
             Alert\nmetadata:\n  name: spy\nspec:\n  providerRef:\n    name: spy\n  eventSources:\n  - kind: \
             GitRepository\n    name: '*'\n    namespace: {ALICE}\n  - kind: Kustomization\n    name: '*'\n    namespace: \
             {ALICE}\n  - kind: Kustomization\n    name: own\n"
        ))
        .await?;
    // Something of Alice's happens that is told of.
    world.story.cluster.apply(ALICE, &world.source("news", "app")).await?;
    let message = format!(
        "failed to dispatch notification for GitRepository/{ALICE}/news: discarding event, access denied to cross-namespace \
         sources: alert 'mallory/spy' can't process event from 'GitRepository/{ALICE}/news', cross-namespace references \
         have been blocked"
    );
    refused_by(world, "spy", &message).await?;
    // Her own news arrive: the way is open, and nothing of Alice's has taken it.
    let map = config_map("own", "1");
    world.attempt("own", "", &[("own.yaml", Text(&map))]).await?;
    world.story.sink.wait_for(SOON, |request| request.path() == "/spy").await?;
    for request in world.story.sink.requests_for("/spy") {
        let about = request.json()?["involvedObject"]["namespace"].clone();
        ensure!(about == "mallory", "told of {about}");
    }
    world.is_unharmed().await
}

async fn provider(world: &World) -> Result<()> {
    let told = told_to("thief", &format!("  secretRef:\n    name: {WAY_TO_SECRET}\n"), "stolen");
    world.story.apply(&told).await?;
    let map = config_map("stolen", "1");
    world.attempt("stolen", "", &[("stolen.yaml", Text(&map))]).await?;
    let message = format!(
        "failed to dispatch notification for Kustomization/mallory/stolen: failed to initialize notifier for provider \
         'thief': \
         failed to get secret 'mallory/{WAY_TO_SECRET}': secrets \"{WAY_TO_SECRET}\" not found"
    );
    refused_by(world, "thief", &message).await
}

async fn receiver(world: &World) -> Result<()> {
    world
        .story
        .apply(&format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: hook\nstringData:\n  token: mallorys\n---\napiVersion: \
             notification.toolkit.fluxcd.io/v1\nkind: Receiver\nmetadata:\n  name: poke\nspec:\n  type: generic\n  \
             secretRef:\n    name: hook\n  resources:\n  - kind: GitRepository\n    name: app\n    namespace: {ALICE}\n"
        ))
        .await?;
    world.story.ready("Receiver/poke").await?;
    let before = source_of_alice(world).await?;
    let path = world.story.get("Receiver/poke").await?["status"]["webhookPath"].clone();
    let url = format!("{}{}", world.story.millrace.receiver_url(), path.as_str().unwrap_or_default());
    let answer = reqwest::Client::builder().no_proxy().build()?.post(url).body("{}").send().await?.status();
    ensure!(answer == reqwest::StatusCode::INTERNAL_SERVER_ERROR, "the hook answers {answer}");
    let refusal = "cross-namespace references are not allowed";
    until("the refusal in the log", SOON, async || {
        world.story.millrace.log().contains(refusal).then_some(())
    })
    .await?;
    ensure!(source_of_alice(world).await? == before, "Alice's source was touched");
    world.is_unharmed().await
}

async fn source_of_alice(world: &World) -> Result<serde_json::Value> {
    world.alices("source.toolkit.fluxcd.io/v1", "GitRepository", "app", |_| true).await
}

async fn metadata_service(world: &World) -> Result<()> {
    let url = "http://169.254.169.254/latest/meta-data";
    let source = world.source("cloud", "app").replace(&world.story.git.public_url("app"), url);
    world.story.apply(&source).await?;
    let message = format!(
        "failed to checkout and determine revision: unable to clone '{url}': Get \
         \"{url}/info/refs?service=git-upload-pack\": \
         address 169.254.169.254 of '169.254.169.254' is refused by the egress policy"
    );
    let verdict =
        Verdict { type_: "Ready", status: "False", reason: "GitOperationFailed", message: &message };
    world.story.verdict("GitRepository/cloud", verdict).await?;
    world.is_unharmed().await
}

async fn provider_of_the_cloud(world: &World) -> Result<()> {
    let told = told_to("cloud-hook", "  address: http://169.254.169.254/latest/api/token\n", "cloudy");
    world.story.apply(&told).await?;
    let map = config_map("cloudy", "1");
    world.attempt("cloudy", "", &[("cloudy.yaml", Text(&map))]).await?;
    let message = "failed to send notification for Kustomization/mallory/cloudy: postMessage failed: failed to execute \
                   request: POST \
                   http://169.254.169.254/latest/api/token giving up after 1 attempt(s): Post \
                   \"http://169.254.169.254/latest/api/token\": address 169.254.169.254 of '169.254.169.254' is \
                   refused by the egress policy";
    refused_by(world, "cloud-hook", message).await
}

/// A generic Provider and an Alert, both of this name, that tell it of a Kustomization.
fn told_to(name: &str, more: &str, kustomization: &str) -> String {
    format!(
        "apiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Provider\nmetadata:\n  name: {name}\nspec:\n  type: \
         generic\n{more}---\napiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Alert\nmetadata:\n  name: \
         {name}\nspec:\n  providerRef:\n    name: {name}\n  eventSources:\n  - kind: Kustomization\n    name: \
         {kustomization}\n"
    )
}

async fn refused_by(world: &World, alert: &str, message: &str) -> Result<()> {
    let event = ("Warning", "NotificationDispatchFailed", message);
    world.story.told(&format!("Alert/{alert}"), event).await?;
    world.is_unharmed().await
}

/// The schema takes it, and a controller that can't read it must not stop for the others.
async fn endless_interval(world: &World) -> Result<()> {
    let map = config_map("a", "1");
    let endless = kustomization(MALLORY, "endless-interval", "")
        .replace("interval: 1h", "interval: 99999999999999999999h");
    world.story.apply(&endless).await?;
    world.attempt("after-endless", "", &[("a.yaml", Text(&map))]).await?;
    world.story.ready("Kustomization/after-endless").await?;
    world.is_unharmed().await
}
