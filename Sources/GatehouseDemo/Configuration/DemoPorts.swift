import CommandSupport
import Demo
import Proxy
import Tenants

/// The ports of a demo run.
enum DemoPorts {
    /// Of the stand-in for Apple and Google, unless any port will do.
    static let provider = 9002
    /// Of the stand-in for the company's provider, likewise.
    static let company = 9006

    /// Sets the ports of the gateway and its admin listener, and leads sign-ins to that port.
    ///
    /// - Returns: What keeps free ports free; to be held until the gateway listens.
    static func choose(
        _ configuration: inout TenantsConfiguration,
        port: Int?,
        freePorts: Bool
    ) throws(CommandFailure) -> [PortReservation] {
        var reservations: [PortReservation] = []
        let example = configuration.gateway.listeners[0].address.port
        if freePorts {
            let admin = try PortReservation()
            configuration.gateway.admin?.address.port = admin.port
            reservations.append(admin)
        }
        var chosen = port
        if chosen == nil, freePorts {
            let listener = try PortReservation()
            chosen = listener.port
            reservations.append(listener)
        }
        guard let chosen else { return reservations }
        configuration.gateway.listeners[0].address.port = chosen
        for index in configuration.tenants.indices {
            lead(&configuration.tenants[index], from: "localhost:\(example)", to: "localhost:\(chosen)")
        }
        return reservations
    }

    /// Changes where sign-ins end: the address after one with cookies, and the redirect URIs of clients.
    private static func lead(_ tenant: inout Tenant, from old: String, to new: String) {
        if let after = tenant.signIn?.web?.after { tenant.signIn?.web?.after = after.replacing(old, with: new) }
        guard var issuer = tenant.issuer else { return }
        for index in issuer.clients.indices {
            issuer.clients[index].redirectURIs = issuer.clients[index].redirectURIs.map { $0.replacing(old, with: new) }
        }
        tenant.issuer = issuer
    }

    /// Refuses to start on a port in use, with the option that helps.
    ///
    /// The gateway's listeners set `SO_REUSEPORT`, and would share a port with another gateway of the same user.
    static func checkFree(_ gateway: GatewaySettings, backends: SampleBackendPorts) throws(CommandFailure) {
        var wanted = gateway.listeners.map { (port: $0.address.port, use: "the gateway", remedy: "--port N") }
        if let admin = gateway.admin {
            wanted.append((admin.address.port, "the gateway's admin listener", "--free-ports"))
        }
        wanted.append((backends == .example ? provider : 0, "the stand-in for Apple and Google", "--free-ports"))
        wanted.append((backends == .example ? company : 0, "the stand-in for the company's provider", "--free-ports"))
        wanted.append((backends.umuve, "the backend of customer and driver", "--free-ports"))
        wanted.append((backends.finance, "the backend of finance", "--free-ports"))
        wanted.append((backends.chat, "the backend of chat", "--free-ports"))
        wanted.append((backends.clans, "the backend of clans", "--free-ports"))
        for (port, use, remedy) in wanted where ListenAddress.isTaken(HostPort(host: "127.0.0.1", port: port)) {
            throw CommandFailure("port \(port) for \(use) is taken: stop what uses it, or give \(remedy)")
        }
    }

    /// Changes a backend's servers from the example's ports to the sample backends' actual ones.
    static func move(_ backend: inout Backend, from example: SampleBackendPorts, to real: SampleBackendPorts) {
        let portMap = [
            example.umuve: real.umuve, example.finance: real.finance, example.chat: real.chat,
            example.clans: real.clans,
        ]
        for index in backend.servers.indices {
            if let port = portMap[backend.servers[index].address.port] {
                backend.servers[index].address.port = port
            }
        }
    }
}
