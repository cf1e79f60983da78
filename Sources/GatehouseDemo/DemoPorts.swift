import CommandSupport
import Demo
import Proxy
import Tenants

/// The ports of a demo run.
enum DemoPorts {
    /// Refuses to start on a port in use, with the option that helps.
    ///
    /// The gateway's listeners set `SO_REUSEPORT`, and would share a port with another gateway of the same user.
    static func checkFree(_ gateway: GatewaySettings, backends: SampleBackendPorts) throws(CommandFailure) {
        var wanted = gateway.listeners.map { (port: $0.address.port, use: "the gateway", remedy: "--port N") }
        if let admin = gateway.admin {
            wanted.append((admin.address.port, "the gateway's admin listener", "--free-ports"))
        }
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
