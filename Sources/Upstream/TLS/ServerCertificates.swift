package import Tenants

/// The certificates of all tenants, by server name. An immutable snapshot.
package struct ServerCertificates: Sendable {
    /// For a client that names no host, or an unknown one (RFC 6066 section 3). The first tenant's.
    let defaultIdentity: ServerIdentity
    /// Each once, in the order of the tenants.
    package let identities: [ServerIdentity]
    private let byName: [String: ServerIdentity]
    /// By the part after `*.`.
    private let byParent: [String: ServerIdentity]

    /// Reads all files. Tenants with the same three files share one identity. Blocks on the disk.
    ///
    /// - Parameter tenants: In the order of the configuration: of two that name the same host, the first counts.
    /// - Returns: Nil if no tenant has a certificate.
    package init?(loading tenants: [(hosts: [HostPattern], certificate: ServerCertificate)]) throws(CertificateProblem)
    {
        var identities: [ServerCertificate: ServerIdentity] = [:]
        var byName: [String: ServerIdentity] = [:]
        var byParent: [String: ServerIdentity] = [:]
        var all: [ServerIdentity] = []
        for tenant in tenants {
            let identity: ServerIdentity
            if let known = identities[tenant.certificate] {
                identity = known
            } else {
                identity = try ServerIdentity(tenant.certificate)
                identities[tenant.certificate] = identity
                all.append(identity)
            }
            for host in tenant.hosts {
                switch host {
                case .exact(let name): byName[name] = byName[name] ?? identity
                case .oneLabelBelow(let parent): byParent[parent] = byParent[parent] ?? identity
                }
            }
        }
        guard let first = all.first else { return nil }
        defaultIdentity = first
        self.identities = all
        self.byName = byName
        self.byParent = byParent
    }

    /// The files that a snapshot of these tenants is read from.
    package static func files(of tenants: [(hosts: [HostPattern], certificate: ServerCertificate)]) -> [String] {
        var files: Set<String> = []
        for (_, certificate) in tenants {
            files.formUnion([certificate.certificateFile, certificate.keyFile])
            if let clientCAFile = certificate.clientCAFile { files.insert(clientCAFile) }
        }
        return files.sorted()
    }

    /// The identity for a name from the TLS handshake, or from a request's Host.
    ///
    /// An exact name takes precedence over a wildcard, which stands for one label. Case and a trailing dot are ignored.
    package func identity(forServerName serverName: String?) -> ServerIdentity {
        guard let serverName else { return defaultIdentity }
        let name = Self.normalized(serverName)
        if let identity = byName[name] { return identity }
        guard !byParent.isEmpty, let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return defaultIdentity
        }
        return byParent[String(name[name.index(after: dot)...])] ?? defaultIdentity
    }

    private static func normalized(_ name: String) -> String {
        let isNormal = name.utf8.allSatisfy { !($0 >= 0x41 && $0 <= 0x5a) } && name.utf8.last != UInt8(ascii: ".")
        if isNormal { return name }
        let lowercase = name.lowercased()
        return lowercase.hasSuffix(".") ? String(lowercase.dropLast()) : lowercase
    }
}
