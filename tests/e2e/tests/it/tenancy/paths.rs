//! Ways out of the artifact: paths, links, and whatever a kustomization file can name.
//!
//! The advisories: CVE-2022-24877 (files of the controller's pod end up in objects), CVE-2022-24878 (a kustomization file that
//! never ends).

use anyhow::{Result, ensure};
use millrace_e2e::{Condition, config_map};

use super::world::File::{self, Link, Text};
use super::world::{MALLORY, Rows, World, kustomization};

/// A build that is to fail. `{root}` in the message is the artifact's root.
struct Build<'a> {
    what: &'a str,
    name: &'a str,
    path: &'a str,
    files: &'a [(&'a str, File<'a>)],
    reason: &'a str,
    message: &'a str,
}

/// A kustomization file, and what the build says about it; `{OUT operation path}` is the constraint on paths.
struct Refused {
    what: &'static str,
    name: &'static str,
    file: &'static str,
    message: &'static str,
}

/// Files that name something outside of the artifact.
const OUTSIDE: &[Refused] = &[
    Refused {
        what: "a resource above the artifact",
        name: "above",
        file: "resources: [../../etc/hostname]",
        message: "accumulating resources: accumulation err='accumulating resources from '../../etc/hostname': \
         {OUT read ../../etc/hostname}': must build at directory: not a valid directory: {OUT abs ../../etc/hostname}",
    },
    Refused {
        what: "a resource by absolute path",
        name: "absolute",
        file: "resources: [/etc/hostname]",
        message: "accumulating resources: accumulation err='accumulating resources from '/etc/hostname': \
         {OUT read /etc/hostname}': new root '/etc/hostname' cannot be absolute",
    },
    Refused {
        what: "CVE-2022-24877, a file of the pod in a ConfigMap",
        name: "generated",
        file: "configMapGenerator: [{name: loot, files: [/etc/passwd]}]",
        message: "loading KV pairs: file sources: [/etc/passwd]: {OUT read /etc/passwd}",
    },
    Refused {
        what: "CVE-2022-24877, the environment of the controller in a Secret",
        name: "environment",
        file: "secretGenerator: [{name: loot, envs: [/proc/self/environ]}]",
        message: "loading KV pairs: env source files: [/proc/self/environ]: {OUT read /proc/self/environ}",
    },
    Refused {
        what: "CVE-2022-24877, the controller's own token as a patch",
        name: "patch",
        file: "resources: [a.yaml]\npatches: [{path: /var/run/secrets/kubernetes.io/serviceaccount/token}]",
        message: "trouble configuring builtin PatchTransformer with config: `\npath: \
         /var/run/secrets/kubernetes.io/serviceaccount/token\n`: failed to get the patch file from \
         path(/var/run/secrets/kubernetes.io/serviceaccount/token): \
         {OUT read /var/run/secrets/kubernetes.io/serviceaccount/token}",
    },
    Refused {
        what: "CVE-2022-24877, a file of the pod as a replacement",
        name: "replacement",
        file: "resources: [a.yaml]\nreplacements: [{path: /etc/hostname}]",
        message: "trouble configuring builtin ReplacementTransformer with config: `\nReplacements:\n- path: \
                  /etc/hostname\n`: \
         {OUT read /etc/hostname}",
    },
    Refused {
        what: "CVE-2022-24877, a file of the pod as a transformer",
        name: "transformer",
        file: "resources: [a.yaml]\ntransformers: [/etc/hostname]",
        message: "accumulation err='accumulating resources from '/etc/hostname': {OUT read /etc/hostname}': new root \
                  '/etc/hostname' \
         cannot be absolute",
    },
    Refused {
        what: "CVE-2022-24877, a file of the pod as a configuration",
        name: "configuration",
        file: "resources: [a.yaml]\nconfigurations: [/etc/hostname]",
        message: "{OUT read /etc/hostname}",
    },
    Refused {
        what: "CVE-2022-24877, a file of the pod as a schema",
        name: "schema",
        file: "resources: [a.yaml]\nopenapi: {path: /etc/hostname}",
        message: "{OUT read /etc/hostname}",
    },
    Refused {
        what: "CVE-2022-24877, a file of the pod as a definition",
        name: "definition",
        file: "resources: [a.yaml]\ncrds: [/etc/hostname]",
        message: "loading CRDs [/etc/hostname]: {OUT read /etc/hostname}",
    },
    Refused {
        what: "a component above the artifact",
        name: "component",
        file: "components: [../../etc]",
        message: "accumulating components: loader.New \"must build at directory: not a valid directory: {OUT abs \
                  ../../etc}\"",
    },
];

/// Files that never end, run programs, or fetch from elsewhere.
const ELSEWHERE: &[Refused] = &[
    Refused {
        what: "CVE-2022-24878, a folder that is its own base",
        name: "endless",
        file: "resources: [.]",
        message: "accumulating resources: accumulation err='accumulating resources from '.': read {root}: is a \
                  directory': cycle \
         detected: candidate root '{root}' contains visited root '{root}'",
    },
    Refused {
        what: "a remote base",
        name: "remote",
        file: "resources: [\"https://github.com/stefanprodan/podinfo//kustomize?ref=6.0.0\"]",
        message: "accumulating resources: accumulation err='accumulating resources from \
         'https://github.com/stefanprodan/podinfo//kustomize?ref=6.0.0': \
         'https://github.com/stefanprodan/podinfo//kustomize?ref=6.0.0' is refused: remote bases are off': \
         'https://github.com/stefanprodan/podinfo//kustomize?ref=6.0.0' is refused: remote bases are off",
    },
    Refused {
        what: "a base in the file system of the pod",
        name: "local",
        file: "resources: [\"file:///etc\"]",
        message: "accumulating resources: accumulation err='accumulating resources from 'file:///etc': open \
                  {root}/file:/etc: no such \
         file or directory': 'file:///etc' is refused: remote bases are off",
    },
    Refused {
        what: "a program that is called a generator",
        name: "program",
        file: "generators: [exec.yaml]",
        message: "loading generator plugins: failed to load generator: external plugins disabled; unable to load \
                  external plugin \
         'Run'",
    },
    Refused {
        what: "a chart to inflate",
        name: "chart",
        file: "helmCharts: [{name: x, repo: \"https://charts.example.com\"}]",
        message: "trouble configuring builtin HelmChartInflationGenerator with config: `\nname: x\nnamespace: \
                  mallory\nrepo: \
         https://charts.example.com\n`: must specify --enable-helm",
    },
];

pub(super) async fn rows(world: &World) -> Rows {
    let mut rows = Rows::new();
    for row in BUILDS {
        rows.push((row.what, build(world, row).await));
    }
    for row in OUTSIDE.iter().chain(ELSEWHERE) {
        rows.push((row.what, kustomization_file(world, row).await));
    }
    rows.extend([
        ("a component of the spec from elsewhere", components(world).await),
        ("a manifest from a web server", web_server(world).await),
        ("a folder of Git that is called ..", hostile_tree(world).await),
    ]);
    rows
}

const BUILDS: &[Build<'static>] = &[
    Build {
        what: "a path above the artifact",
        name: "path",
        path: "../../../etc",
        files: &[("etc.yaml", Text(""))],
        reason: "ArtifactFailed",
        message: "kustomization path not found: stat {root}/etc: no such file or directory",
    },
    Build {
        what: "a path through a link to the outside",
        name: "link-path",
        path: "./out/etc",
        files: &[("out", Link("/"))],
        reason: "ArtifactFailed",
        message: "kustomization path not found: stat {root}/out/etc: no such file or directory",
    },
    Build {
        what: "a link to a file of the pod as a resource",
        name: "link-file",
        path: "./",
        files: &[
            ("kustomization.yaml", Text("resources: [loot.yaml]\n")),
            ("loot.yaml", Link("/etc/passwd")),
        ],
        reason: "BuildFailed",
        message: "kustomize build failed: accumulating resources: accumulation err='accumulating resources from \
                  'loot.yaml': open \
                  {root}/loot.yaml: no such file or directory': must build at directory: not a valid directory: \
                  evalsymlink \
                  failure on '{root}/loot.yaml' : lstat {root}/loot.yaml: no such file or directory",
    },
];

async fn build(world: &World, row: &Build<'_>) -> Result<()> {
    let Build { what: _, name, path, files, reason, message } = row;
    world.attempt(name, &format!("  path: {path}\n"), files).await?;
    world.fails(name, reason, &message.replace("{root}", &world.root(name))).await
}

async fn kustomization_file(world: &World, row: &Refused) -> Result<()> {
    let Refused { what: _, name, file, message } = row;
    let map = config_map("a", "1");
    let exec = "apiVersion: example.com/v1\nkind: Run\nmetadata:\n  name: run\n  annotations:\n    \
                config.kubernetes.io/function: |\n      exec: {path: /bin/true}\n";
    let files = [
        ("deploy/kustomization.yaml", Text(file)),
        ("deploy/a.yaml", Text(&map)),
        ("deploy/exec.yaml", Text(exec)),
    ];
    world.attempt(name, "  path: ./deploy\n", &files).await?;
    let message =
        outside(message, &world.root(name)).replace("{root}", &format!("{}/deploy", world.root(name)));
    world.fails(name, "BuildFailed", &format!("kustomize build failed: {message}")).await
}

/// Replaces `{OUT operation path}`, the constraint's words for a path that leads out of the artifact.
fn outside(message: &str, root: &str) -> String {
    let Some((before, rest)) = message.split_once("{OUT ") else { return message.to_owned() };
    let Some((inner, after)) = rest.split_once('}') else { return message.to_owned() };
    let (operation, path) = inner.split_once(' ').unwrap_or((inner, ""));
    let path = match path.strip_prefix("../..") {
        Some(below) => {
            let parent = root.rsplit_once('/').map_or("", |(parent, _)| parent);
            format!("{parent}{below}")
        }
        None => path.to_owned(),
    };
    let words =
        format!("fs-security-constraint {operation} {path}: path '{path}' is not in or below '{root}'");
    format!("{before}{words}{}", outside(after, root))
}

async fn components(world: &World) -> Result<()> {
    let map = config_map("a", "1");
    for (name, component) in
        [("component-url", "https://github.com/stefanprodan/podinfo//kustomize"), ("component-path", "/etc")]
    {
        world.attempt(name, &format!("  components: ['{component}']\n"), &[("a.yaml", Text(&map))]).await?;
        world
            .fails(name, "BuildFailed", &format!("component path '{component}' must be local and relative"))
            .await?;
    }
    Ok(())
}

/// The original fetches files, though not repositories, whatever its flag says. Ours does not ask.
async fn web_server(world: &World) -> Result<()> {
    let entry = format!("{}/loot.yaml", world.story.sink.url());
    let message = format!(
        "kustomize build failed: accumulating resources: accumulation err='accumulating resources from '{entry}': \
         '{entry}' is \
         refused: remote bases are off': '{entry}' is refused: remote bases are off"
    );
    world
        .attempt("web-server", "", &[("kustomization.yaml", Text(&format!("resources: [\"{entry}\"]\n")))])
        .await?;
    world.fails("web-server", "BuildFailed", &message).await?;
    ensure!(world.story.sink.requests_for("/loot.yaml").is_empty(), "it was asked for");
    Ok(())
}

/// A tree that git itself would not check out: its only folder is called `..`, and a manifest lies in it.
async fn hostile_tree(world: &World) -> Result<()> {
    let repository = world.story.git.create("hostile")?;
    repository.commit("first").file("a.yaml", config_map("hostile", "1")).push()?;
    let inner = repository.git(&["rev-parse", "HEAD^{tree}"])?;
    let mut tree = b"40000 ..\0".to_vec();
    for pair in inner.as_bytes().chunks(2) {
        tree.push(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
    }
    std::fs::write(repository.work_tree().join(".git/hostile"), tree)?;
    let outer = repository.git(&["hash-object", "-t", "tree", "-w", "--literally", ".git/hostile"])?;
    let commit = repository.git(&["commit-tree", &outer, "-m", "hostile"])?;
    repository.git(&["push", "--quiet", "--force", "origin", &format!("{commit}:refs/heads/main")])?;
    world.story.apply(&world.source("hostile", "hostile")).await?;
    world.story.apply(&kustomization(MALLORY, "hostile", "")).await?;
    let refused = |ready: &Condition| {
        ready.status == "False" && ready.is_current && ready.message.ends_with("invalid path \"..\" in tree")
    };
    world.story.until("GitRepository/hostile", "Ready", refused).await?;
    let status = world.story.get("GitRepository/hostile").await?["status"].clone();
    ensure!(status["artifact"].is_null(), "{status}");
    world.is_unharmed().await
}
