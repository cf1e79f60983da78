import ConfigurationText

/// Checks that a stored tenant takes nothing from tenants that its writer may not write: no host, no realm, no issuer and no
/// key of one. It is its writer's tenant that is refused, and not the one of the files, whichever was there first.
///
/// A realm has to have a name that the writer's tenants could have: accounts that are made in it would be there for a
/// tenant that comes later.
///
/// Tenants whose writer may do all come first, then those of the others in their order.
struct WriterReachCheck {
    private enum Key: Hashable {
        case host(HostPattern)
        case realm([UInt8])
        case issuer([UInt8])
        case keys([UInt8])
    }

    private struct Owner {
        var tenant: String
        var position: Position
    }

    private struct Seen: Hashable {
        var key: Key
        var writer: TenantWriter
    }

    private let session: ReadingSession
    private var owners: [Key: [Owner]] = [:]
    /// How many of a key's first owners a writer may write: of ten thousand tenants in one realm each is looked at once.
    private var passed: [Seen: Int] = [:]

    init(_ session: ReadingSession) {
        self.session = session
    }

    /// Checks a tenant against those that were added.
    mutating func check(_ settings: SharedSettings, by writer: TenantWriter) {
        guard writer != .all else { return }
        for host in settings.hosts {
            check(.host(host.pattern), by: writer, at: host.position, "another host") { "\(host.shown) is \($0)'s" }
        }
        if let realm = settings.realm {
            checkName(of: realm, by: writer)
            check(.realm(realm.name), by: writer, at: realm.position, "another realm") {
                "the accounts of this realm are \($0)'s"
            }
        }
        if let issuer = settings.issuer {
            check(.issuer(Array(issuer.url.utf8)), by: writer, at: issuer.position, "another \"url\"") {
                "this \"url\" is that of \($0)'s issuer"
            }
            for origin in issuer.keyOrigins {
                check(.keys(Array(origin.utf8)), by: writer, at: issuer.keysPosition, "other keys") {
                    "these keys are those of \($0)'s issuer"
                }
            }
        }
    }

    private func checkName(of realm: SharedSettings.Realm, by writer: TenantWriter) {
        guard case .limited(let patterns) = writer, !writer.covers(String(decoding: realm.name, as: UTF8.self)) else {
            return
        }
        let names = patterns.map(\.description).joined(separator: ", ")
        session.at(realm.position).error(
            "the token that wrote this takes only names like those of its tenants (\(names)) for realms: name it like them, or "
                + "have a token that may do all write it"
        )
    }

    private mutating func check(
        _ key: Key,
        by writer: TenantWriter,
        at position: Position,
        _ remedy: String,
        _ fault: (String) -> String
    ) {
        guard let owners = self.owners[key] else { return }
        let seen = Seen(key: key, writer: writer)
        let start = passed[seen, default: 0]
        let other = owners[start...].firstIndex { !writer.covers($0.tenant) }
        passed[seen] = other ?? owners.count
        guard let other else { return }
        let owner = owners[other]
        session.at(position).error(
            "\(fault("tenant \"\(owner.tenant)\"")) too (\(session.place(of: owner.position, from: position))), which the "
                + "token that wrote this may not write: give this tenant \(remedy), or have a token that may do all write it"
        )
    }

    /// Adds a tenant for later ones to be compared with.
    mutating func add(_ settings: SharedSettings, of tenant: String) {
        func add(_ key: Key, _ position: Position) {
            owners[key, default: []].append(Owner(tenant: tenant, position: position))
        }
        for host in settings.hosts { add(.host(host.pattern), host.position) }
        if let realm = settings.realm { add(.realm(realm.name), realm.position) }
        if let issuer = settings.issuer {
            if let host = issuer.host { add(.host(host), issuer.position) }
            add(.issuer(Array(issuer.url.utf8)), issuer.position)
            for origin in issuer.keyOrigins { add(.keys(Array(origin.utf8)), issuer.keysPosition) }
        }
    }
}
