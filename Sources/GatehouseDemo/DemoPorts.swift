import CommandSupport
import Demo
import Glibc
import Tenants

/// The ports of a demo run.
enum DemoPorts {
    /// Refuses to start on a port that something listens on, with the option that helps.
    ///
    /// The gateway's listeners would share a port with another gateway of the same user, as theirs set `SO_REUSEPORT`.
    static func checkFree(_ gateway: GatewaySettings, backends: SampleBackendPorts) throws(CommandFailure) {
        var wanted = gateway.listeners.map { (port: $0.address.port, use: "the gateway", remedy: "--port N") }
        if let admin = gateway.admin {
            wanted.append((admin.address.port, "the gateway's admin listener", "--free-ports"))
        }
        wanted.append((backends.umuve, "the backend of customer and driver", "--free-ports"))
        wanted.append((backends.finance, "the backend of finance", "--free-ports"))
        wanted.append((backends.chat, "the backend of chat", "--free-ports"))
        wanted.append((backends.clans, "the backend of clans", "--free-ports"))
        for (port, use, remedy) in wanted where port != 0 && !isFree(port) {
            throw CommandFailure("port \(port) for \(use) is taken: stop what uses it, or give \(remedy)")
        }
    }

    /// Changes a backend's servers on the example's ports to where the sample backends really are.
    static func move(_ backend: inout Backend, from example: SampleBackendPorts, to real: SampleBackendPorts) {
        let places = [
            example.umuve: real.umuve, example.finance: real.finance, example.chat: real.chat,
            example.clans: real.clans,
        ]
        for index in backend.servers.indices {
            if let port = places[backend.servers[index].address.port] {
                backend.servers[index].address.port = port
            }
        }
    }

    /// Whether nothing listens on this loopback port.
    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        // Without a socket the question is open; the listener itself will tell.
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // Passes over connections of an earlier run in TIME_WAIT, but not over a listener.
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 || errno != EADDRINUSE
    }
}
