//! Which objects are applied together, and in which order.

use millrace_ssa::object;
use millrace_ssa::stages;

use crate::manifests::objects;

#[test]
fn stages_hold_what_belongs_together_and_come_in_order() {
    let manifests = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns}}\n---\n\
        {apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n\
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}}\n---\n\
        {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: ns}}\n";
    let custom =
        [stages::GroupKind { group: "rbac.authorization.k8s.io".to_owned(), kind: "Role".to_owned() }];
    let stages = stages::plan(objects(manifests), &custom);
    let subjects: Vec<Vec<String>> =
        stages.iter().map(|stage| stage.objects().iter().map(object::Object::subject).collect()).collect();
    assert_eq!(subjects, [["Namespace/ns"], ["StorageClass/s"], ["Role/ns/r"], ["ConfigMap/ns/a"]]);
    assert_eq!(stages.iter().map(stages::Stage::is_awaited).collect::<Vec<_>>(), [true, true, false, false]);
}
