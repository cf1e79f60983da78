import TestSupport

/// Several servers of one backend.
final class Fleet: Sendable {
    let servers: [RecordingBackend]

    private init(_ servers: [RecordingBackend]) {
        self.servers = servers
    }

    /// - Parameter script: What the server of this index does.
    static func start(_ count: Int, _ script: (Int) -> BackendScript) async throws -> Fleet {
        var servers: [RecordingBackend] = []
        for index in 0..<count { servers.append(try await RecordingBackend.start(script(index))) }
        return Fleet(servers)
    }

    /// Requests per server.
    var counts: [Int] { servers.map(\.requests.count) }

    /// Requests per server for paths under `/open`.
    var openCounts: [Int] { servers.map { $0.requests.count { $0.target.hasPrefix("/open") } } }

    func stop() async {
        for server in servers { await server.stop() }
    }

    /// How the server of this index is called in the metrics.
    func label(_ index: Int) -> String { "http://127.0.0.1:\(servers[index].port)" }
}

extension BackendScript {
    /// 200, with the index of the server as the body.
    static func names(_ index: Int) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK("\(index)")
        }
    }

    /// Resets every request.
    static let resets = BackendScript { exchange in
        try await exchange.body()
        try await exchange.reset()
    }
}

/// A gateway whose tenant `app` has several servers.
///
/// - Parameters:
///   - keys: Further keys of `backend`, as in `balance: least_requests`.
///   - weights: Nil: all alike.
func withFleet(
    _ count: Int,
    _ keys: String...,
    weights: [Int]? = nil,
    gateway: String = "",
    script: (Int) -> BackendScript = { .names($0) },
    _ test: (GatewayFixture, Fleet) async throws -> Void
) async throws {
    let fleet = try await Fleet.start(count, script)
    let list = fleet.servers.indices.map { index in
        "{ url: \"\(fleet.label(index))\", weight: \(weights?[index] ?? 1) }"
    }
    let backend = (["servers: [\(list.joined(separator: ", "))]"] + keys).joined(separator: ", ")
    try await attempt {
        try await withGateway(GatewaySetup(gateway: gateway, tenant: "backend: { \(backend) }")) {
            fixture async throws in
            try await test(fixture, fleet)
        }
    } finally: {
        await fleet.stop()
    }
}
