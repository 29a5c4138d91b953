//! Apache's configuration, files and start.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};

use super::{PASSWORD, USER};
use crate::process::Launch;
use crate::{Result, pki, tools};

const PROGRAM: &str = "/usr/sbin/apache2";
const MODULES: &str = "/usr/lib/apache2/modules";
const LOADED: &[&str] = &[
    "mpm_event",
    "authn_core",
    "authn_file",
    "authz_core",
    "authz_user",
    "auth_basic",
    "alias",
    "env",
    "setenvif",
    "cgid",
    "ssl",
    "mime",
];

/// The files and ports of one server.
pub(super) struct Layout {
    work: PathBuf,
    repositories: PathBuf,
    worker: Option<Worker>,
    pub(super) plain_port: u16,
    pub(super) tls_port: u16,
}

/// The user that Apache's workers run as when root starts it: it refuses to serve as root.
struct Worker {
    name: String,
    user: u32,
    group: u32,
}

impl Layout {
    /// Writes configuration, certificates and password file below `work`.
    pub(super) fn prepare(
        work: &Path,
        plain_port: u16,
        tls_port: u16,
        authority: &pki::Authority,
    ) -> Result<Self> {
        ensure!(Path::new(PROGRAM).exists(), "Apache is not installed: run `cargo xtask tools apache2`");
        let repositories = work.join("repositories");
        let layout =
            Self { work: work.to_owned(), repositories, worker: Worker::find(work)?, plain_port, tls_port };
        for folder in [layout.run(), layout.repositories.clone(), layout.trees()] {
            fs::create_dir(&folder)?;
        }
        // Workers of another user must be able to pass through.
        fs::set_permissions(work, fs::Permissions::from_mode(0o711))?;
        layout.give(&layout.run())?;
        layout.give(&layout.repositories)?;
        let identity = authority.server(&[])?;
        fs::write(work.join("server.crt"), identity.certificate)?;
        fs::write(work.join("server.key"), identity.key)?;
        let digest = STANDARD.encode(Sha1::digest(PASSWORD));
        fs::write(work.join("passwords"), format!("{USER}:{{SHA}}{digest}\n"))?;
        fs::write(work.join("apache.conf"), layout.configuration()?)?;
        Ok(layout)
    }

    pub(super) fn run(&self) -> PathBuf {
        self.work.join("run")
    }

    pub(super) fn repositories(&self) -> &Path {
        &self.repositories
    }

    /// The folder of the work trees that commits are made in.
    pub(super) fn trees(&self) -> PathBuf {
        self.work.join("trees")
    }

    /// Creates an empty bare repository that clients may fetch partially and by commit.
    pub(super) fn create_repository(&self, name: &str) -> Result<()> {
        let path = self.repositories.join(format!("{name}.git"));
        ensure!(!path.exists(), "there is a repository {name} already");
        let mut init = git(&self.work);
        init.args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(&path);
        ensure!(init.status()?.success(), "git init failed");
        let allow = "[uploadpack]\n\tallowFilter = true\n\tallowReachableSHA1InWant = true\n[http]\n\treceivepack = true\n";
        let config = path.join("config");
        fs::write(&config, fs::read_to_string(&config)? + allow)?;
        self.give(&path)
    }

    /// Makes the workers the owner of a folder and everything in it.
    fn give(&self, path: &Path) -> Result<()> {
        let Some(worker) = &self.worker else { return Ok(()) };
        chown(path, Some(worker.user), Some(worker.group))?;
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                self.give(&entry?.path())?;
            }
        }
        Ok(())
    }

    fn configuration(&self) -> Result<String> {
        let run = self.run().display().to_string();
        let work = self.work.display();
        let mut text = format!(
            "ServerRoot {run}\nServerName localhost\nPidFile {run}/httpd.pid\nErrorLog {run}/error.log\nLogLevel warn\n\
             Mutex file:{run} default\nDefaultRuntimeDir {run}\nDocumentRoot {run}\nTimeout 60\nKeepAlive On\n\
             StartServers 1\nServerLimit 4\nThreadsPerChild 16\nMaxRequestWorkers 64\n"
        );
        for module in LOADED {
            writeln!(text, "LoadModule {module}_module {MODULES}/mod_{module}.so")?;
        }
        if let Some(worker) = &self.worker {
            writeln!(text, "User {}\nGroup #{}", worker.name, worker.group)?;
        }
        let backend = exec_path()?;
        let repositories = self.repositories.display();
        write!(
            text,
            r#"ScriptSock {run}/cgid.sock
TypesConfig /dev/null
CustomLog {run}/access.log "%p %u \"%r\" %>s %O \"%{{Git-Protocol}}i\""
<Directory />
  Require all denied
</Directory>
<Directory {backend}>
  Require all granted
</Directory>
SetEnv GIT_PROJECT_ROOT {repositories}
SetEnv GIT_HTTP_EXPORT_ALL 1
# A repository may belong to another user than the worker.
SetEnv GIT_CONFIG_COUNT 1
SetEnv GIT_CONFIG_KEY_0 safe.directory
SetEnv GIT_CONFIG_VALUE_0 *
# Without this line the server falls back to protocol version 0.
SetEnvIf Git-Protocol "(.+)" GIT_PROTOCOL=$1
ScriptAlias /public/ {backend}/git-http-backend/
ScriptAlias /git/ {backend}/git-http-backend/
<Location /public/>
  Require all granted
</Location>
# Anonymous users read; only a login pushes.
<LocationMatch "^/public/.*/git-receive-pack$">
  Require all denied
</LocationMatch>
<Location /git/>
  AuthType Basic
  AuthName bench
  AuthBasicProvider file
  AuthUserFile {work}/passwords
  Require valid-user
</Location>
SSLSessionCache none
SSLProtocol -all +TLSv1.2 +TLSv1.3
SSLRandomSeed startup builtin
Listen 127.0.0.1:{http}
Listen 127.0.0.1:{https}
<VirtualHost 127.0.0.1:{http}>
</VirtualHost>
<VirtualHost 127.0.0.1:{https}>
  SSLEngine on
  SSLCertificateFile {work}/server.crt
  SSLCertificateKeyFile {work}/server.key
</VirtualHost>
"#,
            http = self.plain_port,
            https = self.tls_port,
        )?;
        Ok(text)
    }
}

impl Worker {
    /// Whom to run as, if `own` (a file this process made) belongs to root.
    fn find(own: &Path) -> Result<Option<Self>> {
        if fs::metadata(own)?.uid() != 0 {
            return Ok(None);
        }
        let users = fs::read_to_string("/etc/passwd").context("cannot read the list of users")?;
        let named = |name: &str| {
            users
                .lines()
                .find(|line| line.split(':').next() == Some(name))
                .map(|line| (name.to_owned(), line))
        };
        let (name, line) =
            named("www-data").or_else(|| named("nobody")).context("there is no user www-data or nobody")?;
        let mut fields = line.split(':').skip(2).map(str::parse);
        let (Some(Ok(user)), Some(Ok(group))) = (fields.next(), fields.next()) else {
            anyhow::bail!("the entry of {name} in the list of users is damaged");
        };
        Ok(Some(Self { name, user, group }))
    }
}

/// How to start the server of a layout.
pub(super) fn launch(layout: &Layout) -> Launch {
    let launch = Launch::new("apache", PROGRAM.into(), &layout.work);
    launch.arg("-f").arg(layout.work.join("apache.conf")).arg("-DFOREGROUND")
}

/// A git command that sees no configuration but the repository's own.
pub(super) fn git(home: &Path) -> Command {
    let mut command = Command::new("git");
    tools::clear(&mut command, home);
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0");
    command.stdin(Stdio::null());
    command
}

fn exec_path() -> Result<String> {
    let output = git(Path::new("/"))
        .arg("--exec-path")
        .output()
        .context("Git is not installed: run `cargo xtask tools git`")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
