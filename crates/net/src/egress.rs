//! Which addresses a URL that an object supplies may lead to.
//!
//! Addresses are judged after name resolution, on every connection and every redirect: a name that points at the
//! metadata service of a cloud is as refused as its address.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::NamedHost;

/// A block of addresses, `10.0.0.0/8` or `fd00::/8`; a bare address is a block of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    prefix_len: u8,
}

/// A text that is no address block.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0:?} is not a CIDR")]
pub struct CidrError(String);

impl std::str::FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || CidrError(text.to_owned());
        let (address, len) = match text.split_once('/') {
            Some((address, len)) => (address, Some(len)),
            None => (text, None),
        };
        let network: IpAddr = address.parse().map_err(|_| error())?;
        let max = if network.is_ipv4() { 32 } else { 128 };
        let prefix_len = len.map_or(Ok(max), |len| len.parse().map_err(|_| error()))?;
        if prefix_len > max { Err(error()) } else { Ok(Self { network, prefix_len }) }
    }
}

impl Cidr {
    /// Says whether `address` lies in the block. IPv4-mapped IPv6 addresses count as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.network, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix_len)).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix_len)).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

/// What may be reached. The default refuses link-local addresses, the metadata services of the clouds, and what is no
/// address of a server at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EgressPolicy {
    /// Blocks that are open whatever the other rules say (`--allow-egress-cidr`).
    pub allow: Vec<Cidr>,
    /// Multi-tenant lockdown: loopback, [`api_server`](Self::api_server) and
    /// [`api_server_host`](Self::api_server_host) are refused as well.
    pub lockdown: bool,
    /// Addresses of the API server, refused under lockdown.
    pub api_server: Vec<IpAddr>,
    /// The API server where it is known by name; what the name leads to at a connection is refused under lockdown.
    pub api_server_host: Option<NamedHost>,
}

/// An address that the policy refuses. The text's second line says why, and which flag opens it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "address {address} of '{host}' is refused by the egress policy\n{rule}; --allow-egress-cidr={} opens it",
    as_judged(.address)
)]
pub struct EgressRefused {
    /// The host as the URL names it.
    pub host: String,
    /// The address it leads to.
    pub address: IpAddr,
    /// What closes it.
    pub rule: Rule,
}

/// The address as the rules see it.
fn as_judged(address: &IpAddr) -> IpAddr {
    embedded_ipv4(*address)
}

/// What closes an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It is link-local, or a metadata service, whose answers are credentials of the machine.
    Metadata,
    /// It means "any address"; Linux connects it to this host.
    Unspecified,
    /// Lockdown: it is this host or the API server.
    Lockdown,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Metadata => "it is link-local or a cloud's metadata service",
            Self::Unspecified => "it is no address of a server",
            Self::Lockdown => "--lockdown-egress closes this host and the API server",
        })
    }
}

/// Metadata services outside the link-local blocks: AWS and Google over IPv6, Alibaba Cloud, Oracle Cloud, Azure's host.
const METADATA: [IpAddr; 5] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
];

impl EgressPolicy {
    /// The policy with the addresses that the API server's name has now or had lately; asked for at every connection to an
    /// address.
    pub async fn current(&self) -> Cow<'_, Self> {
        let Some(host) = self.api_server_host.as_ref().filter(|_| self.lockdown) else {
            return Cow::Borrowed(self);
        };
        let mut current = self.clone();
        current.api_server.extend(host.addresses().await);
        Cow::Owned(current)
    }

    /// Says whether connections to `address` are allowed.
    pub fn allows(&self, address: IpAddr) -> bool {
        self.closed_by(address).is_none()
    }

    /// The rule that closes `address`.
    fn closed_by(&self, address: IpAddr) -> Option<Rule> {
        let address = embedded_ipv4(address);
        let link_local = match address {
            IpAddr::V4(v4) => v4.is_link_local(),
            IpAddr::V6(v6) => v6.is_unicast_link_local(),
        };
        let rule = if link_local || METADATA.contains(&address) {
            Rule::Metadata
        } else if address.is_unspecified() {
            Rule::Unspecified
        } else if self.lockdown && (address.is_loopback() || self.api_server.contains(&address)) {
            Rule::Lockdown
        } else {
            return None;
        };
        (!self.allow.iter().any(|block| block.contains(address))).then_some(rule)
    }

    /// Checks one address of `host`.
    ///
    /// # Errors
    /// [`EgressRefused`] when the policy closes it.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), EgressRefused> {
        match self.closed_by(address) {
            None => Ok(()),
            Some(rule) => Err(EgressRefused { host: host.to_owned(), address, rule }),
        }
    }

    /// Checks a URL whose host is a literal address; names are checked when they are resolved.
    ///
    /// # Errors
    /// [`EgressRefused`] when the policy closes the address.
    pub fn check_literal(&self, url: &url::Url) -> Result<(), EgressRefused> {
        match literal(url) {
            Some(address) => self.check(&address.to_string(), address),
            None => Ok(()),
        }
    }
}

/// The address that a URL names, in whatever spelling a connection would take.
pub(crate) fn literal(url: &url::Url) -> Option<IpAddr> {
    let host = match url.host()? {
        // Only in URLs of the web does the parser read `2852039166` or even `169.254.169.254` as an address: a SOCKS
        // proxy's host is a name to it.
        url::Host::Domain(name) => url::Host::parse(name).ok()?,
        url::Host::Ipv4(address) => return Some(address.into()),
        url::Host::Ipv6(address) => return Some(address.into()),
    };
    match host {
        url::Host::Domain(_) => None,
        url::Host::Ipv4(address) => Some(address.into()),
        url::Host::Ipv6(address) => Some(address.into()),
    }
}

/// Unwraps the IPv4 address that an IPv6 address carries: mapped (`::ffff:0:0/96`), compatible (`::/96`), translated
/// (`64:ff9b::/96`) or tunnelled (`2002::/16`).
fn embedded_ipv4(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address.to_canonical() else { return address.to_canonical() };
    let [_, _, o2, o3, o4, o5, .., a, b, c, d] = v6.octets();
    let v4 = match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => [a, b, c, d],
        [0x2002, ..] => [o2, o3, o4, o5],
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, high, low] if (high, low) > (0, 1) => [a, b, c, d],
        _ => return v6.into(),
    };
    IpAddr::V4(Ipv4Addr::from(v4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn metadata_services_are_refused_in_every_spelling() {
        let policy = EgressPolicy::default();
        let refused = [
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "fe80::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "192.0.0.192",
            "fd20:ce::254",
            "168.63.129.16",
            "0.0.0.0",
            "::",
            "::ffff:0.0.0.0",
        ];
        for address in refused {
            assert!(!policy.allows(ip(address)), "{address}");
        }
        for address in
            ["10.1.2.3", "127.0.0.1", "::1", "192.168.0.1", "93.184.216.34", "fd00::1", "2002:5db8:d822::1"]
        {
            assert!(policy.allows(ip(address)), "{address}");
        }
    }

    #[test]
    fn lockdown_closes_loopback_and_the_api_server() {
        let policy =
            EgressPolicy { lockdown: true, api_server: vec![ip("10.96.0.1")], ..EgressPolicy::default() };
        for address in ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "10.96.0.1", "::ffff:10.96.0.1"] {
            assert!(!policy.allows(ip(address)), "{address}");
        }
        assert!(policy.allows(ip("10.96.0.2")));
    }

    #[test]
    fn an_allowed_block_opens_what_the_rules_close() {
        let allow = vec!["169.254.0.0/16".parse().unwrap(), "::1".parse().unwrap()];
        let policy = EgressPolicy { allow, lockdown: true, ..EgressPolicy::default() };
        assert!(policy.allows(ip("169.254.169.254")));
        assert!(policy.allows(ip("::1")));
        assert!(!policy.allows(ip("127.0.0.1")));
    }

    #[test]
    fn a_refusal_names_the_rule_and_the_flag_that_opens_it() {
        let locked =
            EgressPolicy { lockdown: true, api_server: vec![ip("10.96.0.1")], ..EgressPolicy::default() };
        let lockdown = "--lockdown-egress closes this host and the API server";
        let metadata = "it is link-local or a cloud's metadata service";
        for (address, why) in [
            ("169.254.1.1", metadata),
            ("::ffff:169.254.1.1", metadata),
            ("0.0.0.0", "it is no address of a server"),
            ("127.0.0.1", lockdown),
            ("10.96.0.1", lockdown),
        ] {
            let refused = locked.check("h", ip(address)).unwrap_err().to_string();
            let opened = embedded_ipv4(ip(address));
            let expected = format!(
                "address {address} of 'h' is refused by the egress policy\n{why}; --allow-egress-cidr={opened} opens it"
            );
            assert_eq!(refused, expected);
            let open = EgressPolicy { allow: vec![opened.to_string().parse().unwrap()], ..locked.clone() };
            assert_eq!(open.check("h", ip(address)), Ok(()), "{address}");
        }
    }

    #[test]
    fn a_literal_is_judged_in_every_spelling_and_scheme() {
        let policy = EgressPolicy::default();
        for url in [
            "http://169.254.169.254/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "https://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://169.254.169.254./",
            "http://[::ffff:169.254.169.254]/",
            "http://0/",
            "socks5://169.254.169.254:1080",
            "socks5://2852039166:1080",
            "socks5://[fe80::1]:1080",
        ] {
            assert!(policy.check_literal(&url.parse().unwrap()).is_err(), "{url}");
        }
        for url in ["http://127.0.0.1/", "http://example.com/", "socks5://proxy:1080", "file:///x"] {
            assert_eq!(policy.check_literal(&url.parse().unwrap()), Ok(()), "{url}");
        }
    }

    #[test]
    fn blocks_parse_or_say_why_not() {
        let all: Cidr = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains(ip("8.8.8.8")) && !all.contains(ip("::1")));
        let wide: Cidr = "fd00::/8".parse().unwrap();
        assert!(wide.contains(ip("fdff::1")) && !wide.contains(ip("fe00::1")));
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "a/8", "10.0.0.0/x", "10.0.0.0/-1"] {
            assert_eq!(text.parse::<Cidr>(), Err(CidrError(text.to_owned())), "{text}");
        }
    }
}
