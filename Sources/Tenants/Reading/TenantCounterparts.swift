/// The tenants with which one has to agree, which reading checks: hosts, realms, issuers and their keys. Found without
/// looking at all, of which there may be ten thousand.
public struct TenantCounterparts: Sendable {
    private enum Key: Hashable {
        case host(HostPattern)
        case realm(String)
        case issuer(String)
        case keys(String)
    }

    private let tenants: [Tenant]
    /// The places of those that have a key, ascending.
    private let places: [Key: [Int]]

    /// - Parameter tenants: Those among which ``of(_:)`` looks.
    public init(_ tenants: [Tenant]) {
        self.tenants = tenants
        var places: [Key: [Int]] = [:]
        places.reserveCapacity(tenants.count)
        for place in tenants.indices {
            for key in Self.keys(of: tenants[place]) { places[key, default: []].append(place) }
        }
        self.places = places
    }

    /// The tenants that `tenant` could contradict: for each of its hosts, its realm and its issuer the first that has it
    /// too, and the first for each provider of sign-in in the realm.
    public func of(_ tenant: Tenant) -> [Tenant] {
        let own = Set(Self.keys(of: tenant))
        var missing = own
        var providers: Set<SignIn.Provider> = tenant.accounts.realm == nil ? [] : Set(Self.providers(of: tenant))
        var found: [Tenant] = []
        for place in Set(own.flatMap { places[$0] ?? [] }).sorted() where tenants[place].name != tenant.name {
            let other = tenants[place]
            let shared = Self.keys(of: other).filter(own.contains)
            let hasNew = shared.contains(where: missing.contains)
            missing.subtract(shared)
            var hasProvider = false
            if let realm = tenant.accounts.realm, other.accounts.realm == realm {
                let theirs = Self.providers(of: other)
                hasProvider = theirs.contains(where: providers.contains)
                providers.subtract(theirs)
            }
            if hasNew || hasProvider { found.append(other) }
            if missing.isEmpty, providers.isEmpty { break }
        }
        return found
    }

    private static func keys(of tenant: Tenant) -> [Key] {
        var keys = tenant.hosts.map(Key.host)
        if let realm = tenant.accounts.realm { keys.append(.realm(realm)) }
        if let issuer = tenant.issuer {
            keys.append(.issuer(issuer.url))
            keys += issuer.keyOrigins.map(Key.keys)
        }
        return keys
    }

    private static func providers(of tenant: Tenant) -> [SignIn.Provider] { tenant.signIn?.providers ?? [] }
}
