import Foundation
import TestSupport
import Testing

/// A running `gatehouse run` with one tenant, `app`, that notifies a service manager.
struct ServedProgram {
    var process: ServerProcess
    /// Its tenants.yaml.
    var file: String
    /// The URL of its admin listener.
    var admin: String
    /// The lines of each datagram that it sends.
    var manager: Mailbox<[String]>
}

/// - Parameters:
///   - watchdog: Microseconds.
///   - include: The patterns of `include`, if there is one.
func withServedProgram(
    watchdog: String? = nil,
    include: [String] = [],
    _ body: (ServedProgram) async throws -> Void
) async throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let ports = [try await FreePort.find(), try await FreePort.find()]
    let file = try scratch.write(
        """
        version: 1
        \(include.isEmpty ? "" : "include: \(include)")
        gateway:
          listen: [ { address: "127.0.0.1:\(ports[0])" } ]
          admin: { address: "127.0.0.1:\(ports[1])" }
          store: "memory:"
        tenants:
          app:
            hosts: [app.test]
            backend: { servers: ["http://127.0.0.1:9"] }
            authenticate:
              issuers: [ { issuer: "https://id.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
        """,
        to: "tenants.yaml"
    )
    let socket = try DatagramSocket("\(scratch.path)/notify")
    var environment = ["TEST_SECRET": TestIssuer.secret, "NOTIFY_SOCKET": socket.path]
    environment["WATCHDOG_USEC"] = watchdog
    let process = try ServerProcess(GatehouseProgram.path(), ["run", "--config", file], environment: environment)
    let served = ServedProgram(
        process: process,
        file: file,
        admin: "http://127.0.0.1:\(ports[1])",
        manager: socket.received
    )
    let result: Result<Void, any Error>
    do { result = .success(try await body(served)) } catch { result = .failure(error) }
    try await process.kill()
    socket.close()
    try result.get()
}
