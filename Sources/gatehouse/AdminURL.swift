import ArgumentParser
import FoundationEssentials
import Tenants

/// The URL of a gateway's admin listener, or of a proxy in front of it.
struct AdminURL: CustomStringConvertible, Sendable {
    static let ordinary = AdminURL(description: "http://127.0.0.1:9901", isSecure: false, isOpenToOthers: false)

    /// Without a trailing slash.
    let description: String
    let isSecure: Bool
    /// Whether others may read the traffic: plain http to another machine.
    let isOpenToOthers: Bool

    private init(description: String, isSecure: Bool, isOpenToOthers: Bool) {
        self.description = description
        self.isSecure = isSecure
        self.isOpenToOthers = isOpenToOthers
    }

    init(_ argument: String) throws {
        guard let parts = URLComponents(string: argument), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { throw ValidationError("write an http or https URL, like \(Self.ordinary)") }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw ValidationError("write scheme, host and port alone; the token is in GATEHOUSE_ADMIN_TOKEN")
        }
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        isSecure = scheme == "https"
        isOpenToOthers = scheme == "http" && !HostPort(host: bare, port: 0).isLoopback
        description = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
    }

    var isSomethingElse: String { "what answers at \(self) is not the admin listener of a gateway; check --admin" }
}
