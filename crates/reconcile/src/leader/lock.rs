//! The Lease object: read, created and replaced with the version that was read, so that two writers never both succeed.

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::api::PostParams;
use kube::{Api, Client};

/// What a lease says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Who holds it; empty if it was given up.
    pub(super) holder: String,
    pub(super) duration_seconds: i32,
    pub(super) acquired: Option<Timestamp>,
    pub(super) renewed: Option<Timestamp>,
    /// How often it has changed hands.
    pub(super) transitions: i32,
}

/// One Lease in the cluster, with what was last read or written of it.
pub(super) struct Lock {
    api: Api<Lease>,
    namespace: String,
    name: String,
    field_manager: String,
    last: Option<Lease>,
}

impl Lock {
    pub(super) fn new(client: Client, namespace: &str, name: &str, field_manager: &str) -> Self {
        Self {
            api: Api::namespaced(client, namespace),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            field_manager: field_manager.to_owned(),
            last: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The lease as events refer to it.
    pub(super) fn reference(&self) -> ObjectReference {
        let meta = self.last.as_ref().map(|lease| &lease.metadata);
        let uid = meta.and_then(|meta| meta.uid.clone());
        let version = meta.and_then(|meta| meta.resource_version.clone());
        super::reference(&self.name, &self.namespace, uid, version)
    }

    /// Reads it; `None` if there is none.
    pub(super) async fn read(&mut self) -> Result<Option<Record>, kube::Error> {
        self.last = self.api.get_opt(&self.name).await?;
        Ok(self.last.as_ref().map(|lease| record(lease.spec.clone().unwrap_or_default())))
    }

    /// Writes it: new if it was not there when it was last read, else over that very version.
    pub(super) async fn write(&mut self, record: &Record) -> Result<(), kube::Error> {
        let params = PostParams { field_manager: Some(self.field_manager.clone()), ..PostParams::default() };
        let written = if let Some(mut lease) = self.last.clone() {
            // Fields we know nothing of stay as they are.
            lease.spec = Some(spec(record, lease.spec.unwrap_or_default()));
            self.api.replace(&self.name, &params, &lease).await?
        } else {
            let metadata = ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
            let lease = Lease { metadata, spec: Some(spec(record, LeaseSpec::default())) };
            self.api.create(&params, &lease).await?
        };
        self.last = Some(written);
        Ok(())
    }
}

fn record(spec: LeaseSpec) -> Record {
    Record {
        holder: spec.holder_identity.unwrap_or_default(),
        duration_seconds: spec.lease_duration_seconds.unwrap_or_default(),
        acquired: spec.acquire_time.map(|time| time.0),
        renewed: spec.renew_time.map(|time| time.0),
        transitions: spec.lease_transitions.unwrap_or_default(),
    }
}

fn spec(record: &Record, before: LeaseSpec) -> LeaseSpec {
    LeaseSpec {
        holder_identity: Some(record.holder.clone()),
        lease_duration_seconds: Some(record.duration_seconds),
        acquire_time: record.acquired.map(MicroTime),
        renew_time: record.renewed.map(MicroTime),
        lease_transitions: Some(record.transitions),
        ..before
    }
}
