import Redis

/// A master, its replica and three sentinels, of which two must agree that the master is down.
struct SentinelSet {
    static let masterName = "gate"

    let master: RedisServer
    let replica: RedisServer
    let sentinels: [Sentinel]

    /// One `redis-sentinel`, which keeps what it knows in its configuration file.
    struct Sentinel {
        let address: RedisAddress
        let process: ServerProcess
        fileprivate let scratch: Scratch
    }

    /// Runs `body` with a set whose members know each other.
    ///
    /// - Parameter password: What the sentinels want of clients.
    static func run(
        password: String? = nil,
        _ body: (SentinelSet) async throws -> Void
    ) async throws {
        try await RedisServer.run { master in
            try await RedisServer.run(["replicaof 127.0.0.1 \(master.port)"]) { replica in
                try await replica.process.line(with: "sync: Finished with success")
                var sentinels: [Sentinel] = []
                for _ in 1...3 { sentinels.append(try await start(of: master, password: password)) }
                do {
                    for sentinel in sentinels { try await acquaint(sentinel) }
                    try await body(SentinelSet(master: master, replica: replica, sentinels: sentinels))
                } catch {
                    try await stop(sentinels)
                    throw error
                }
                try await stop(sentinels)
            }
        }
    }

    var configuration: RedisConfiguration {
        RedisConfiguration(servers: .sentinels(sentinels.map(\.address), masterName: Self.masterName))
    }

    private static func start(
        of master: RedisServer,
        password: String?
    ) async throws -> Sentinel {
        let scratch = try Scratch()
        let port = try await FreePort.find()
        var lines = ["port \(port)", "bind 127.0.0.1", "dir \(scratch.path)"]
        lines += ["sentinel monitor \(masterName) 127.0.0.1 \(master.port) 2"]
        lines += ["sentinel down-after-milliseconds \(masterName) 500", "sentinel failover-timeout \(masterName) 4000"]
        if let password { lines += ["requirepass \(password)", "sentinel sentinel-pass \(password)"] }
        let file = try scratch.write(lines.joined(separator: "\n") + "\n", to: "sentinel.conf")
        let process = try ServerProcess("/usr/bin/redis-sentinel", [file])
        try await process.line(with: "+monitor")
        return Sentinel(address: RedisAddress(host: "127.0.0.1", port: port), process: process, scratch: scratch)
    }

    /// Waits until it has heard of the replica and of both other sentinels, in whatever order.
    private static func acquaint(
        _ sentinel: Sentinel
    ) async throws {
        var expected = ["+slave ", "+sentinel ", "+sentinel "]
        while !expected.isEmpty {
            let line = try await sentinel.process.lines.next()
            if let index = expected.firstIndex(where: line.contains) { expected.remove(at: index) }
        }
    }

    private static func stop(
        _ sentinels: [Sentinel]
    ) async throws {
        for sentinel in sentinels {
            try await sentinel.process.kill()
            sentinel.scratch.remove()
        }
    }
}
