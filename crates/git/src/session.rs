//! One conversation with a server: greeting, listing, fetching.

use std::{num::NonZeroU32, sync::Arc};

use gix::{
    ObjectId,
    progress::Discard,
    protocol::{
        self, Handshake, LsRefsCommand,
        fetch::{
            Arguments, Context, Negotiate, Options, Shallow, Tags,
            negotiate::{Action, Round, one_round},
        },
        handshake::Ref,
        ls_refs::RefPrefixes,
        transport::{Protocol, Service, client::blocking_io::http::Transport},
    },
};
use millrace_net::RedactedUrl;

use crate::{
    error::TransportError, exchange::Runner, http::Connection, limited::Limited, listing::Listing,
    store::Store,
};

/// How the protocol's agent field names us.
const AGENT: &str = concat!("git/millrace-", env!("CARGO_PKG_VERSION"));

/// How much history comes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The wanted commits alone.
    One,
    /// All of it: the only way to an older commit on servers that hand out nothing but the heads of branches.
    All,
}

pub(crate) struct Session {
    connection: Connection,
    runner: Runner,
    transport: Transport<Connection>,
    handshake: Handshake,
    /// What an old server lists by itself when it is greeted.
    greeted_with: Option<Vec<Ref>>,
}

impl Session {
    /// Greets the server.
    pub(crate) fn open(url: &str, connection: Connection, runner: Runner) -> Result<Self, TransportError> {
        let parsed = gix::url::parse(url);
        let parsed =
            parsed.map_err(|err| TransportError::Protocol(format!("{}: {err}", RedactedUrl::new(url))))?;
        let mut transport = Transport::new_http(connection.clone(), parsed, Protocol::V2, false);
        // Credentials are the connection's business; nobody is asked for any.
        let unattended = |_| Ok(None);
        let handshake =
            protocol::handshake(&mut transport, Service::UploadPack, unattended, Vec::new(), &mut Discard);
        let mut handshake = handshake.map_err(|err| failure(&connection, &err))?;
        let greeted_with = handshake.refs.take();
        Ok(Self { connection, runner, transport, handshake, greeted_with })
    }

    /// Lists the references below the given prefixes; all without any. Old servers list everything in any case.
    pub(crate) fn list(&mut self, prefixes: &[String]) -> Result<Listing, TransportError> {
        if let Some(refs) = &self.greeted_with {
            return Ok(Listing::new(refs.clone()));
        }
        if self.handshake.server_protocol_version != Protocol::V2 {
            return Ok(Listing::default());
        }
        let mut arguments = RefPrefixes::new();
        arguments.extend(prefixes.iter().map(|prefix| prefix.as_str().into()));
        let filter = (!prefixes.is_empty()).then_some(arguments);
        let command = LsRefsCommand::new(filter, &self.handshake.capabilities, agent());
        let refs = command.invoke_blocking(&mut self.transport, &mut Discard, false);
        refs.map(Listing::new).map_err(|err| failure(&self.connection, &err))
    }

    /// Fetches objects into the store, without those that it has, and gives up beyond so many bytes.
    pub(crate) fn fetch(
        &mut self,
        wants: &[ObjectId],
        depth: Depth,
        store: &Store,
        max_bytes: u64,
    ) -> Result<(), TransportError> {
        let shallow = match depth {
            Depth::One => Shallow::DepthAtRemote(NonZeroU32::MIN),
            Depth::All => Shallow::undo(),
        };
        let mut negotiation = Negotiation { wants: wants.to_vec(), haves: store.commits().to_vec() };
        let interrupt = Arc::clone(&self.runner.interrupt);
        let context = Context {
            handshake: &mut self.handshake,
            transport: &mut self.transport,
            user_agent: agent(),
            trace_packetlines: false,
        };
        let options = Options {
            shallow_file: store.shallow_file(),
            shallow: &shallow,
            tags: Tags::None,
            reject_shallow_remote: false,
        };
        let result = protocol::fetch(
            &mut negotiation,
            |pack, progress, interrupt| {
                let mut pack = Limited::new(pack, max_bytes, &self.connection);
                store.write_pack(&mut pack, progress, interrupt).map(|()| true)
            },
            Discard,
            &interrupt,
            context,
            options,
        );
        result.map_err(|err| failure(&self.connection, &err))?;
        self.runner.check()
    }
}

fn agent() -> (&'static str, Option<String>) {
    ("agent", Some(AGENT.to_owned()))
}

/// The reason behind an error of the protocol's implementation: the connection's, if it has one.
fn failure(connection: &Connection, err: &gix::Error) -> TransportError {
    connection.take_failure().unwrap_or_else(|| {
        let mut text = err.to_string();
        let mut source = std::error::Error::source(err);
        while let Some(err) = source {
            let next = err.to_string();
            if !text.contains(&next) {
                text = format!("{text}: {next}");
            }
            source = err.source();
        }
        TransportError::Protocol(text)
    })
}

/// Wants some objects and says at once everything that it has: with depth 1 there is nothing to find out step by step.
struct Negotiation {
    wants: Vec<ObjectId>,
    haves: Vec<ObjectId>,
}

impl Negotiate for Negotiation {
    fn mark_complete_and_common_ref(&mut self) -> gix::Result<Action> {
        Ok(Action::MustNegotiate { remote_ref_target_known: Vec::new() })
    }

    fn add_wants(&mut self, arguments: &mut Arguments, _: &[bool]) -> bool {
        for want in &self.wants {
            arguments.want(want);
        }
        !self.wants.is_empty()
    }

    fn one_round(
        &mut self,
        _: &mut one_round::State,
        arguments: &mut Arguments,
        _: Option<&protocol::fetch::Response>,
    ) -> gix::Result<(Round, bool)> {
        for have in &self.haves {
            arguments.have(have);
        }
        let haves = self.haves.len();
        let round = Round {
            haves_sent: haves,
            in_vain: 0,
            haves_to_send: haves,
            previous_response_had_at_least_one_in_common: false,
        };
        Ok((round, true))
    }
}
