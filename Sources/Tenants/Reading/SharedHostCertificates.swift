/// That tenants which share a host, each with a path of its own, show one certificate there: it is chosen by the name
/// that the client asks for (SNI), before there is a path.
struct SharedHostCertificates {
    private struct First {
        var tenant: String
        var line: Int
        var tls: ServerCertificate?
    }

    private var hosts: [HostPattern: First] = [:]

    mutating func check(_ tenant: Tenant, _ entry: DocumentNode.Entry, _ session: inout ReadingSession) {
        // What cannot be read was reported and is like nothing else.
        guard tenant.tls != nil || entry.value[Schema.tenant.tls] == nil else { return }
        for item in entry.value[Schema.tenant.hosts]?.items ?? [] {
            guard let scalar = item.scalar, let host = try? NetworkText.hostPattern(scalar.text) else { continue }
            guard let first = hosts[host] else {
                hosts[host] = First(tenant: tenant.name, line: item.place.line, tls: tenant.tls)
                continue
            }
            if first.tls != tenant.tls {
                session.findings.error(
                    item.place,
                    "\(scalar.shown) is tenant \"\(first.tenant)\"'s too (line \(first.line)), with other \"tls\", and a "
                        + "name can show one certificate only: write the same \"tls\" in both"
                )
            }
        }
    }
}
