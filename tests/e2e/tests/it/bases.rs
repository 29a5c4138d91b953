//! Bases on other hosts: repositories with submodules, and files of web servers.

use anyhow::{Result, ensure};
use millrace_e2e::{SOON, Story, config_map};
use millrace_harness::git::{PASSWORD, Repository, USER};
use millrace_harness::recorder::{Answer, Rule};
use millrace_harness::until;
use serde_json::json;

use crate::story;

/// A repository with a base, which has another one as a submodule.
fn base(story: &Story) -> Result<Repository> {
    let module = story.git.create("module")?;
    let kustomization = "resources: [m.yaml]\n";
    let commit =
        module.commit("first").file("kustomization.yaml", kustomization).file("m.yaml", config_map("m", "1"));
    let commit = commit.push()?;
    let base = story.git.create("base")?;
    std::fs::create_dir(base.work_tree().join("module"))?;
    base.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},module")])?;
    base.commit("first")
        .file(".gitmodules", "[submodule \"m\"]\n\tpath = module\n\turl = ../module.git\n")
        .file("deploy/kustomization.yaml", "resources: [a.yaml, ../module]\n")
        .file("deploy/a.yaml", config_map("a", "1"))
        .link("outside/kustomization.yaml", "../../../../../etc/passwd")
        .file("loop/kustomization.yaml", format!("resources: ['{}//loop']\n", story.git.public_url("base")))
        .push()?;
    Ok(base)
}

/// Serves a file at `/map.yaml`.
fn serve(story: &Story) -> Result<()> {
    let answer = Answer::status(200)?.body(config_map("web", "1"));
    let rule = Rule { method: None, target_contains: "/map.yaml".to_owned(), times: usize::MAX, answer };
    story.sink.rule(rule);
    Ok(())
}

/// Commits one folder with a kustomization file for each of these names, and applies them.
async fn apply(story: &Story, entries: &[(&str, &[String])]) -> Result<()> {
    let site = story.git.create("site")?;
    let mut commit = site.commit("first");
    for (name, entries) in entries {
        let file = json!({ "namePrefix": format!("{name}-"), "resources": entries }).to_string();
        commit = commit.file(&format!("{name}/kustomization.yaml"), file);
    }
    commit.push()?;
    story.git_repository("site").await?;
    for (name, _) in entries {
        story.kustomization(name, "site", &format!("  path: ./{name}\n")).await?;
    }
    Ok(())
}

/// The requests for a repository by one of its ways in, without the query.
fn requests(story: &Story, way: &str) -> Result<Vec<String>> {
    let all = story.git.accesses()?.into_iter().map(|access| format!("{} {}", access.method, access.target));
    let own = all.filter(|line| line.contains(way));
    Ok(own.map(|line| line.split('?').next().unwrap_or_default().to_owned()).collect())
}

/// Waits until there are so many.
async fn requested(story: &Story, way: &str, count: usize) -> Result<Vec<String>> {
    until("the requests", SOON, async || requests(story, way).ok().filter(|found| found.len() >= count)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn bases_on_other_hosts_are_applied_and_followed() -> Result<()> {
    let story = story!("bases");
    let base = base(&story)?;
    serve(&story)?;
    let first = base.resolve("main")?;
    let public = story.git.public_url("base");
    let with_login = story.git.login_url("base").replacen("://", &format!("://{USER}:{PASSWORD}@"), 1);
    let floating = [format!("{public}//deploy?ref=main"), format!("{}/map.yaml", story.sink.url())];
    let pinned = [format!("{with_login}//deploy?ref={first}&submodules=false")];
    let pinned_whole = [format!("{public}//deploy?ref={first}")];
    apply(&story, &[("floating", &floating), ("pinned", &pinned), ("whole", &pinned_whole)]).await?;

    for object in ["a", "m", "web"] {
        let name = format!("ConfigMap/floating-{object}");
        story.ready("Kustomization/floating").await?;
        ensure!(story.get(&name).await?["data"] == json!({ "value": "1" }), "{name}");
    }
    // Without submodules, the folder of one is empty.
    let failed = story.failing("Kustomization/pinned", "BuildFailed").await?;
    ensure!(failed.message.contains("unable to find one of 'kustomization.yaml'"), "{failed:?}");
    ensure!(!failed.message.contains(PASSWORD), "{failed:?}");
    story.ready("Kustomization/whole").await?;

    // What has not changed costs a greeting and a listing, and what cannot change nothing.
    let (before, pinned_before) =
        (requests(&story, "/public/base.git")?.len(), requests(&story, "/git/base.git")?);
    let modules = requests(&story, "/public/module.git")?.len();
    story.reconcile("Kustomization/whole").await?;
    story.reconcile("Kustomization/floating").await?;
    let after = requested(&story, "/public/base.git", before + 2).await?;
    ensure!(
        after[before..] == ["GET /public/base.git/info/refs", "POST /public/base.git/git-upload-pack"],
        "{:?}",
        &after[before..]
    );
    ensure!(requests(&story, "/public/module.git")?.len() == modules, "the submodule was asked for again");
    // It was asked for as a file at each try, as it has never been used; nothing but that.
    let retried = requests(&story, "/git/base.git")?;
    let others =
        retried[pinned_before.len()..].iter().filter(|line| !line.starts_with("GET /git/base.git//deploy"));
    ensure!(others.count() == 0, "{:?}", &retried[pinned_before.len()..]);

    base.commit("second").file("deploy/a.yaml", config_map("a", "2")).push()?;
    story.reconcile("Kustomization/floating").await?;
    ensure!(story.get("ConfigMap/floating-a").await?["data"] == json!({ "value": "2" }));
    ensure!(story.get("ConfigMap/whole-a").await?["data"] == json!({ "value": "1" }));
    ensure!(!story.millrace.log().contains(PASSWORD), "the log has the password");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_means_harm_or_is_not_there_is_told_and_does_none() -> Result<()> {
    let story = story!("bases-hostile");
    base(&story)?;
    let public = story.git.public_url("base");
    let nowhere = "0123456789012345678901234567890123456789";
    let rows = [
        (
            "option",
            format!("{public}//deploy?ref=--upload-pack=x"),
            "is refused: no name in git begins with '-'",
        ),
        ("outside", format!("{public}//outside"), "outside/kustomization.yaml"),
        ("loop", format!("{public}//loop"), "cycle detected: URI '"),
        (
            "branch",
            format!("{public}//deploy?ref=gone"),
            "fatal: couldn't find remote ref gone: exit status 128",
        ),
        (
            "short",
            format!("{public}//deploy?ref={}", &nowhere[..7]),
            "fatal: couldn't find remote ref 0123456: exit",
        ),
        (
            "commit",
            format!("{public}//deploy?ref={nowhere}"),
            "fatal: remote error: upload-pack: not our ref 0123456",
        ),
        ("folder", format!("{public}//gone"), "evalsymlink failure on '"),
        ("repository", public.replace("base", "gone"), "fatal: repository '"),
    ];
    let entries: Vec<_> = rows.iter().map(|(name, entry, _)| (*name, std::slice::from_ref(entry))).collect();
    apply(&story, &entries).await?;
    for (name, _, told) in &rows {
        let failed = story.failing(&format!("Kustomization/{name}"), "BuildFailed").await?;
        let starts = failed.message.starts_with("kustomize build failed: ");
        ensure!(
            starts && failed.message.contains(told) && !failed.message.contains("root:"),
            "{name}: {failed:?}"
        );
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_other_host_is_asked_where_remote_bases_are_off() -> Result<()> {
    let story = story!("bases-off", |options| options.arg("--no-remote-bases"));
    base(&story)?;
    serve(&story)?;
    let (git, web) =
        (format!("{}//deploy", story.git.public_url("base")), format!("{}/map.yaml", story.sink.url()));
    let (git, web) = ([git], [web]);
    apply(&story, &[("git", &git), ("web", &web)]).await?;
    for (name, entry) in [("git", &git[0]), ("web", &web[0])] {
        let failed = story.failing(&format!("Kustomization/{name}"), "BuildFailed").await?;
        ensure!(
            failed.message.contains(&format!("'{entry}' is refused: remote bases are off")),
            "{failed:?}"
        );
    }
    let asked = requests(&story, "/public/base.git")?;
    ensure!(asked.is_empty() && story.sink.requests_for("/map.yaml").is_empty(), "{asked:?}");
    Ok(())
}
