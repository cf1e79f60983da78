/// The source of an issuer's keys.
public enum KeySource: Sendable, Hashable {
    /// The secret in tenants.yaml, or none: never changes while this configuration is in force.
    case inline
    /// Read at the start, and again whenever the file changes.
    case file(KeyFileSource)
    /// Fetched by the gateway; the policy has no keys until it has.
    case remote(RemoteKeySource)
    /// Made by the gateway for the issuer of the tenant with this name, and kept in the store; the policy has no keys
    /// until they are read from there.
    case builtIn(tenant: String)
}

/// A key set that an identity provider publishes. Issuers with equal sources share one set.
public struct RemoteKeySource: Sendable, Hashable {
    public enum Location: Sendable, Hashable {
        /// The address of a JWK Set (RFC 7517 section 5): https, or http on loopback or where that is allowed.
        case keySet(url: String)
        /// An issuer whose metadata names the address (OpenID Connect Discovery 1.0 section 4): https, or http as above;
        /// has neither query nor fragment.
        case discovery(issuer: String)
    }

    public var location: Location
    /// Whether its address may be http beyond loopback (`allow_http`).
    public var allowsPlainHTTP = false
    /// How long a set is fresh, whatever the provider says; nil: by its `Cache-Control`, from 5 minutes to a day.
    public var lifetime: Duration?

    /// The source's name in metrics and logs: the address without user and query, or the issuer.
    public var label: String {
        switch location {
        case .discovery(let issuer): return issuer
        case .keySet(let url):
            let address = String(url.prefix { $0 != "?" && $0 != "#" })
            guard let start = address.range(of: "://")?.upperBound else { return address }
            let authority = address[start...].prefix { $0 != "/" }
            guard let at = authority.lastIndex(of: "@") else { return address }
            return String(address[..<start] + address[address.index(after: at)...])
        }
    }
}
