import ArgumentParser
import FoundationEssentials
import OutgoingHTTP
import Tenants

/// The URL of a gateway's admin listener, or of a proxy in front of it.
struct AdminURL: CustomStringConvertible, Sendable {
    static let `default` = AdminURL(
        description: "http://127.0.0.1:9901",
        origin: OutgoingRequest.Origin(isSecure: false, host: "127.0.0.1", port: 9901),
        isOpenToOthers: false
    )

    /// Without a trailing slash.
    let description: String
    /// Whose certificate an https URL needs.
    let origin: OutgoingRequest.Origin
    /// Whether others may read the traffic: plain http to another machine.
    let isOpenToOthers: Bool

    var isSecure: Bool { origin.isSecure }

    private init(description: String, origin: OutgoingRequest.Origin, isOpenToOthers: Bool) {
        self.description = description
        self.origin = origin
        self.isOpenToOthers = isOpenToOthers
    }

    init(_ argument: String) throws {
        guard let parts = URLComponents(string: argument), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { throw ValidationError("write an http or https URL, like \(Self.default)") }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw ValidationError("write scheme, host and port alone; the token is in GATEHOUSE_ADMIN_TOKEN")
        }
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let isSecure = scheme == "https"
        origin = OutgoingRequest.Origin(
            isSecure: isSecure,
            host: host.lowercased(),
            port: parts.port ?? (isSecure ? 443 : 80)
        )
        isOpenToOthers = scheme == "http" && !HostPort(host: bare, port: 0).isLoopback
        description = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
    }

    var isSomethingElse: String { "what answers at \(self) is not the admin listener of a gateway; check --admin" }
}
