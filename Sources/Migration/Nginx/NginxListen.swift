/// An address that a server listens on.
struct NginxListen {
    /// nil for what is not listened on here.
    var address: String?
    var isTLS: Bool
    var origin: Origin

    /// nginx listens on port 80 unless it is told otherwise.
    static func all(of server: NginxDirective) -> [NginxListen] {
        let block = server.block ?? []
        let isAllTLS = block.contains { $0.name == "ssl" && $0.first == "on" }
        let found = block.filter { $0.name == "listen" }.map { directive in
            let isTLS = isAllTLS || directive.arguments.contains("ssl")
            let isDatagram = directive.arguments.contains("quic")
            let address = isDatagram ? nil : ListenAddress.read(directive.first, defaultPort: 80)
            return NginxListen(address: address, isTLS: isTLS, origin: directive.origin)
        }
        // [::]:443 beside 0.0.0.0:443 is the same port for the other kind of addresses.
        return found.isEmpty ? [NginxListen(address: "0.0.0.0:80", isTLS: isAllTLS, origin: server.origin)] : found
    }
}
