//! Which addresses a URL that an object supplies may lead to.
//!
//! Addresses are judged after name resolution, on every connection and every redirect: a name that points at the
//! metadata service of a cloud is as refused as its address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

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

/// What may be reached. The default refuses link-local addresses and the metadata services of the clouds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EgressPolicy {
    /// Blocks that are open whatever the other rules say (`--allow-egress-cidr`).
    pub allow: Vec<Cidr>,
    /// Multi-tenant lockdown: loopback and [`api_server`](Self::api_server) are refused as well.
    pub lockdown: bool,
    /// Addresses of the API server, refused under lockdown.
    pub api_server: Vec<IpAddr>,
}

/// An address that the policy refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("address {address} of '{host}' is refused by the egress policy")]
pub struct EgressRefused {
    /// The host as the URL names it.
    pub host: String,
    /// The address it leads to.
    pub address: IpAddr,
}

/// Metadata services outside the link-local blocks: AWS over IPv6, Alibaba Cloud, Oracle Cloud.
const METADATA: [IpAddr; 3] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
];

impl EgressPolicy {
    /// Says whether connections to `address` are allowed.
    pub fn allows(&self, address: IpAddr) -> bool {
        let address = embedded_ipv4(address);
        if self.allow.iter().any(|block| block.contains(address)) {
            return true;
        }
        let link_local = match address {
            IpAddr::V4(v4) => v4.is_link_local(),
            IpAddr::V6(v6) => v6.is_unicast_link_local(),
        };
        if link_local || METADATA.contains(&address) {
            return false;
        }
        // Linux connects the unspecified address to the local host.
        let local = address.is_loopback() || address.is_unspecified();
        !(self.lockdown && (local || self.api_server.contains(&address)))
    }

    /// Checks one address of `host`.
    ///
    /// # Errors
    /// [`EgressRefused`] when the policy closes it.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), EgressRefused> {
        if self.allows(address) { Ok(()) } else { Err(EgressRefused { host: host.to_owned(), address }) }
    }

    /// Checks a URL whose host is a literal address; names are checked when they are resolved.
    ///
    /// # Errors
    /// [`EgressRefused`] when the policy closes the address.
    pub fn check_literal(&self, url: &url::Url) -> Result<(), EgressRefused> {
        match url.host() {
            Some(url::Host::Ipv4(address)) => self.check(&address.to_string(), address.into()),
            Some(url::Host::Ipv6(address)) => self.check(&address.to_string(), address.into()),
            _ => Ok(()),
        }
    }
}

/// Unwraps the IPv4 address inside a mapped (`::ffff:0:0/96`) or translated (`64:ff9b::/96`) IPv6 address.
fn embedded_ipv4(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if v6.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0] => {
            let [.., a, b, c, d] = v6.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        other => other,
    }
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
            "fe80::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "192.0.0.192",
        ];
        for address in refused {
            assert!(!policy.allows(ip(address)), "{address}");
        }
        for address in ["10.1.2.3", "127.0.0.1", "::1", "0.0.0.0", "192.168.0.1", "93.184.216.34", "fd00::1"]
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
        let policy = EgressPolicy { allow, lockdown: true, api_server: Vec::new() };
        assert!(policy.allows(ip("169.254.169.254")));
        assert!(policy.allows(ip("::1")));
        assert!(!policy.allows(ip("127.0.0.1")));
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
