//! What the command says about itself.

/// `kustomize build --help`.
pub(super) const BUILD: &str = "\
Build a set of KRM resources using a 'kustomization.yaml' file.
The DIR argument must be a path to a directory containing
'kustomization.yaml', or a git repository URL with a path suffix
specifying same with respect to the repository root.
If DIR is omitted, '.' is assumed.

Usage:
  kustomize build DIR [flags]

Examples:
# Build the current working directory
  kustomize build

# Build some shared configuration directory
  kustomize build /home/config/production

# Build from github
  kustomize build https://github.com/kubernetes-sigs/kustomize.git/examples/helloWorld?ref=v1.0.6


Flags:
      --as-current-user                 use the uid and gid of the command executor to run the function in the container
      --enable-alpha-plugins            enable kustomize plugins
      --enable-exec                     enable support for exec functions (raw executables); do not use for untrusted configs! (Alpha)
      --enable-helm                     Enable use of the Helm chart inflator generator.
  -e, --env stringArray                 a list of environment variables to be used by functions
      --helm-api-versions stringArray   Kubernetes api versions used by Helm for Capabilities.APIVersions
      --helm-command string             helm command (path to executable) (default \"helm\")
      --helm-debug                      Enable debug output from the Helm chart inflator generator.
      --helm-kube-version string        Kubernetes version used by Helm for Capabilities.KubeVersion
  -h, --help                            help for build
      --load-restrictor string          if set to 'LoadRestrictionsNone', local kustomizations may load files from outside their root. This does, however, break the relocatability of the kustomization. (default \"LoadRestrictionsRootOnly\")
      --mount stringArray               a list of storage options read from the filesystem
      --network                         enable network access for functions that declare it
      --network-name string             the docker network to run the container in (default \"bridge\")
  -o, --output string                   If specified, write output to this path.

Global Flags:
      --stack-trace   print a stack-trace on error
";

/// What follows it: the differences to the reference.
pub(super) const OWN: &str = "
Of this program alone:
      --no-remote-bases                 refuse entries that lead to repositories and files on other hosts

Plugins, functions and Helm never run: their flags are accepted, and a build that needs them fails as without the flags.
";

/// `kustomize version --help`.
pub(super) const VERSION: &str = "\
Prints the kustomize version

Usage:
  kustomize version [flags]

Examples:
kustomize version

Flags:
  -h, --help            help for version
  -o, --output string   One of 'yaml' or 'json'.

Global Flags:
      --stack-trace   print a stack-trace on error
";

/// The program as a whole.
pub(super) const ROOT: &str = "
Manages declarative configuration of Kubernetes.
See https://sigs.k8s.io/kustomize

Usage:
  kustomize [command]

Available Commands:
  build                     Build a kustomization target from a directory or URL
  help                      Help about any command
  version                   Prints the kustomize version

Flags:
  -h, --help          help for kustomize
      --stack-trace   print a stack-trace on error

Use \"kustomize [command] --help\" for more information about a command.
";
