import Tenants
import TestSupport

/// A real HAProxy in front of two instances, with the configuration of docs/rolling.md.
final class LoadBalancer: Sendable {
    let address: HostPort
    private let state: HostPort
    private let process: ServerProcess
    private let scratch: Scratch

    private init(_ address: HostPort, _ state: HostPort, _ process: ServerProcess, _ scratch: Scratch) {
        self.address = address
        self.state = state
        self.process = process
        self.scratch = scratch
    }

    /// Runs `body` with a load balancer once both instances are up, and stops it afterwards.
    static func run(_ instances: [Instance], _ body: (LoadBalancer) async throws -> Void) async throws {
        let balancer = try await start(instances)
        do {
            for index in instances.indices { try await balancer.awaitUp(index) }
            try await body(balancer)
        } catch {
            try await balancer.stop()
            throw error
        }
        try await balancer.stop()
    }

    /// Waits until it considers the instance up.
    func awaitUp(_ index: Int) async throws {
        try await until("HAProxy finds the instance up") { try await status(index).hasPrefix("UP") }
    }

    private static func start(_ instances: [Instance]) async throws -> LoadBalancer {
        let (port, statePort) = (try await FreePort.find(), try await FreePort.find())
        let ports = [
            "8000": port, "8404": statePort, "8080": instances[0].address.port, "9901": instances[0].admin.port,
            "8081": instances[1].address.port, "9902": instances[1].admin.port,
        ]
        let documented = try DocumentedConfiguration.block("HAProxy", "haproxy", in: "rolling")
        let scratch = try Scratch()
        let file = try scratch.write(try DocumentedConfiguration.withPorts(ports, documented), to: "haproxy.cfg")
        let process = try ServerProcess("/usr/sbin/haproxy", ["-db", "-f", file])
        let balancer = LoadBalancer(
            HostPort(host: "127.0.0.1", port: port),
            HostPort(host: "127.0.0.1", port: statePort),
            process,
            scratch
        )
        try await until("HAProxy serves") {
            guard process.isRunning else { throw Malformed("HAProxy has ended: \(process.lines.takeReady() ?? "")") }
            return (try? await balancer.status(0)) != nil
        }
        return balancer
    }

    /// The instance's status in its table, like UP or DOWN.
    private func status(_ index: Int) async throws -> String {
        let client = RawClient(try await Wire.connect(to: state))
        do {
            try await client.send("GET /;csv HTTP/1.1\r\nHost: state\r\nConnection: close\r\n\r\n")
            let table = try await client.response().body.text
            await client.close()
            let name = index == 0 ? "first" : "second"
            let rows = table.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            guard let column = rows.first?.firstIndex(of: "status"),
                let row = rows.first(where: { $0.count > column && $0[0] == "gatehouse" && $0[1] == name })
            else { throw Malformed("HAProxy's table has no \(name): \(table)") }
            return String(row[column])
        } catch {
            await client.close()
            throw error
        }
    }

    private func stop() async throws {
        try await process.kill()
        scratch.remove()
    }
}
