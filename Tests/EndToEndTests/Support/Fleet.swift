import TestSupport

/// Several servers of one backend.
final class Fleet: Sendable {
    let servers: [RecordingBackend]

    private init(_ servers: [RecordingBackend]) {
        self.servers = servers
    }

    /// - Parameter script: What the server of this place does.
    fileprivate static func start(_ count: Int, _ script: (Int) -> BackendScript) async throws -> Fleet {
        var servers: [RecordingBackend] = []
        for place in 0..<count { servers.append(try await RecordingBackend.start(script(place))) }
        return Fleet(servers)
    }

    /// Requests that each server has had.
    var counts: [Int] { servers.map(\.requests.count) }

    /// Requests that each server has had for paths under `/open`.
    var openCounts: [Int] { servers.map { $0.requests.count { $0.target.hasPrefix("/open") } } }

    fileprivate func stop() async {
        for server in servers { await server.stop() }
    }

    /// How the server of this place is called in the metrics.
    func label(_ place: Int) -> String { "http://127.0.0.1:\(servers[place].port)" }
}

extension BackendScript {
    /// 200, with the place of the server as the body.
    static func names(_ place: Int) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK("\(place)")
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
    _ visit: (GatewayFixture, Fleet) async throws -> Void
) async throws {
    let fleet = try await Fleet.start(count, script)
    let list = fleet.servers.indices.map { place in
        "{ url: \"\(fleet.label(place))\", weight: \(weights?[place] ?? 1) }"
    }
    let backend = (["servers: [\(list.joined(separator: ", "))]"] + keys).joined(separator: ", ")
    try await attempt {
        try await withGateway(GatewaySetup(gateway: gateway, tenant: "backend: { \(backend) }")) {
            fixture async throws in
            try await visit(fixture, fleet)
        }
    } finally: {
        await fleet.stop()
    }
}
