//! The projects that both programs build: from a handful of objects to thousands.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// How many the long lists of `ConfigMaps` hold; the second is four times the first.
pub(super) const GROWTH: (usize, usize) = (500, 2_000);
/// Folders of the deep chain; one object gets a prefix, a label and a patch in each.
const CHAIN: usize = 30;
const CRDS: usize = 20;
/// What a definition describes: 20 of them make 7 MB.
const CRD_FIELDS: usize = 1_950;

/// One project: files by path, and the folder to build.
pub(super) struct Project {
    pub(super) name: String,
    /// The folder to build, below that of the project.
    folder: String,
    files: Vec<(String, String)>,
}

/// All projects, the smallest first.
pub(super) fn all() -> Vec<Project> {
    let mut projects = vec![apps("small overlay", 2), apps("medium overlay", 40)];
    projects.extend([GROWTH.0, GROWTH.1].map(config_maps));
    projects.extend([deployments(), chain(CHAIN), crds(CRDS)]);
    projects
}

impl Project {
    fn new(name: impl Into<String>, folder: &str) -> Self {
        Self { name: name.into(), folder: folder.to_owned(), files: Vec::new() }
    }

    fn file(&mut self, path: impl Into<String>, content: impl Into<String>) {
        self.files.push((path.into(), content.into()));
    }

    /// The folder to build where the project is written below `place`.
    pub(super) fn folder(&self, place: &Path) -> PathBuf {
        self.root(place).join(&self.folder)
    }

    /// A folder that no other project below `place` has.
    fn root(&self, place: &Path) -> PathBuf {
        place.join(self.name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"))
    }

    /// Writes the project below `place`.
    pub(super) fn write(&self, place: &Path) -> Result<()> {
        let root = self.root(place);
        for (path, content) in &self.files {
            let path = root.join(path);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// What is also built side by side.
pub(super) fn deployments() -> Project {
    patched(1_000, 50)
}

/// Next to nothing: what building it takes is the start of the process.
pub(super) fn start() -> Project {
    let mut project = Project::new("a single ConfigMap", "start");
    project.file("start/kustomization.yaml", "configMapGenerator:\n- name: single\n");
    project
}

/// A base of apps with five objects each, and an overlay as teams write them.
fn apps(name: &str, count: usize) -> Project {
    let mut project = Project::new(name, "overlay");
    let mut base = String::from("resources:\n");
    let mut images = String::from("images:\n");
    let mut patches = String::from("patches:\n");
    for index in 0..count {
        let app = format!("app-{index:04}");
        _ = writeln!(base, "- {app}.yaml");
        project.file(format!("base/{app}.yaml"), app_objects(&app));
        _ = writeln!(images, "- {{name: example.com/{app}, newTag: v2.{index}}}");
        if index % 8 == 0 {
            _ = writeln!(patches, "- path: {app}-resources.yaml");
            project.file(format!("overlay/{app}-resources.yaml"), resources_patch(&app));
        }
    }
    project.file("base/kustomization.yaml", base);
    project.file("overlay/limits.properties", "requests=100\nburst=20\n");
    project.file(
        "overlay/kustomization.yaml",
        format!(
            "namespace: shop\nnamePrefix: prod-\nresources: [../base]\n\
             labels:\n- pairs: {{team: shop, stage: prod}}\n  includeSelectors: true\n\
             configMapGenerator:\n- name: limits\n  files: [limits.properties]\n\
             replicas:\n- {{name: app-0000, count: 3}}\n{images}{patches}"
        ),
    );
    project
}

fn app_objects(app: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {app}\n---\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {app}\ndata:\n  level: info\n  address: 0.0.0.0:8080\n---\n\
         apiVersion: v1\nkind: Service\nmetadata:\n  name: {app}\nspec:\n  selector:\n    app: {app}\n\
         \x20 ports:\n  - name: http\n    port: 80\n    targetPort: 8080\n---\n\
         {}---\n\
         apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: {app}\nspec:\n  rules:\n  - host: {app}.example.com\n\
         \x20   http:\n      paths:\n      - path: /\n        pathType: Prefix\n        backend:\n          service:\n\
         \x20           name: {app}\n            port:\n              name: http\n",
        deployment(app)
    )
}

fn deployment(app: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {app}\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n\
         \x20     app: {app}\n  template:\n    metadata:\n      labels:\n        app: {app}\n    spec:\n\
         \x20     serviceAccountName: {app}\n      containers:\n      - name: {app}\n        image: example.com/{app}:v1\n\
         \x20       envFrom:\n        - configMapRef:\n            name: {app}\n        ports:\n        - name: http\n\
         \x20         containerPort: 8080\n"
    )
}

fn resources_patch(app: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {app}\nspec:\n  template:\n    spec:\n      containers:\n\
         \x20     - name: {app}\n        resources:\n          requests:\n            cpu: 100m\n            memory: 64Mi\n"
    )
}

/// `ConfigMaps` under prefix, namespace and labels.
pub(super) fn config_maps(count: usize) -> Project {
    let mut project = Project::new(format!("{count} ConfigMaps"), "maps");
    let mut objects = String::new();
    for index in 0..count {
        _ = write!(
            objects,
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{index:05}\ndata:\n  index: \"{index}\"\n---\n"
        );
    }
    project.file("maps/objects.yaml", objects);
    project.file(
        "maps/kustomization.yaml",
        "namePrefix: many-\nnamespace: many\nresources: [objects.yaml]\nlabels:\n- pairs: {team: many}\n",
    );
    project
}

/// Deployments, some of them patched.
fn patched(count: usize, patches: usize) -> Project {
    let mut project = Project::new(format!("{count} Deployments, {patches} patches"), "patched");
    let mut objects = String::new();
    for index in 0..count {
        _ = writeln!(objects, "{}---", deployment(&format!("app-{index:04}")));
    }
    let mut kustomization = String::from("resources: [objects.yaml]\npatches:\n");
    for index in (0..count).step_by(count / patches) {
        let app = format!("app-{index:04}");
        project.file(format!("patched/{app}.yaml"), resources_patch(&app));
        _ = writeln!(kustomization, "- path: {app}.yaml");
    }
    project.file("patched/objects.yaml", objects);
    project.file("patched/kustomization.yaml", kustomization);
    project
}

/// Overlays on overlays.
fn chain(depth: usize) -> Project {
    let mut project = Project::new(format!("chain of {depth} overlays"), &format!("level-{depth:02}"));
    project.file("level-00/objects.yaml", app_objects("app"));
    project.file("level-00/kustomization.yaml", "resources: [objects.yaml]\n");
    for level in 1..=depth {
        project.file(
            format!("level-{level:02}/kustomization.yaml"),
            format!(
                "resources: [../level-{:02}]\nnamePrefix: l{level}-\nlabels:\n- pairs: {{level-{level}: here}}\n\
                 patches:\n- target: {{kind: ConfigMap}}\n  patch: |-\n    - {{op: add, path: /data/level-{level}, value: here}}\n",
                level - 1
            ),
        );
    }
    project
}

/// Definitions with schemas of hundreds of kilobytes, as operators ship them.
fn crds(count: usize) -> Project {
    let mut project = Project::new(format!("{count} CRDs, 7 MB"), "crds");
    let mut objects = String::new();
    for index in 0..count {
        _ = write!(
            objects,
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n\
             \x20 name: things{index}.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n  names:\n    kind: Thing{index}\n\
             \x20   plural: things{index}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n\
             \x20     openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n\
             \x20           properties:\n"
        );
        for field in 0..CRD_FIELDS {
            _ = write!(
                objects,
                "              field{field}:\n                description: |-\n                  What field {field} of a thing is for, in words\n\
                 \x20                 that take two lines.\n                type: string\n"
            );
        }
        objects.push_str("---\n");
    }
    project.file("crds/bundle.yaml", objects);
    project.file(
        "crds/kustomization.yaml",
        "resources: [bundle.yaml]\ncommonAnnotations: {example.com/bundle: things}\n",
    );
    project
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn projects_that_stand_side_by_side_have_folders_of_their_own() {
        let place = Path::new("/place");
        let projects: Vec<Project> = all().into_iter().chain([start()]).collect();
        let folders: BTreeSet<PathBuf> = projects.iter().map(|project| project.folder(place)).collect();
        assert_eq!(folders.len(), projects.len(), "{folders:?}");
    }
}
