/// A master, its replicas and three sentinels, of which two must agree that the master is down.
package struct SentinelSet {
    package static let masterName = "gate"

    package let master: RedisServer
    package let replicas: [RedisServer]
    package let sentinels: [Sentinel]

    /// One `redis-sentinel`, which stores its state in its configuration file.
    package struct Sentinel: Sendable {
        package let port: Int
        package let process: ServerProcess
        fileprivate let scratch: Scratch
    }

    /// Runs `body` with a set whose members know each other.
    ///
    /// - Parameters:
    ///   - replicas: With two there is still one to have each write when one of the servers is lost.
    ///   - password: What the sentinels want of clients.
    package static func run(
        replicas count: Int,
        password: String? = nil,
        _ body: (SentinelSet) async throws -> Void
    ) async throws {
        try await RedisServer.run { master in
            try await withReplicas(count, of: master) { replicas in
                var sentinels: [Sentinel] = []
                do {
                    for _ in 1...3 { sentinels.append(try await start(of: master, password: password)) }
                    for sentinel in sentinels { try await acquaint(sentinel, replicas: count) }
                    try await body(SentinelSet(master: master, replicas: replicas, sentinels: sentinels))
                } catch {
                    try await stop(sentinels)
                    throw error
                }
                try await stop(sentinels)
            }
        }
    }

    /// Runs `body` with `found` and as many more as are missing, each in step with the master.
    private static func withReplicas(
        _ count: Int,
        of master: RedisServer,
        _ found: [RedisServer] = [],
        _ body: ([RedisServer]) async throws -> Void
    ) async throws {
        guard found.count < count else { return try await body(found) }
        try await RedisServer.run(["replicaof 127.0.0.1 \(master.port)"]) { replica in
            try await replica.process.line(with: "sync: Finished with success")
            try await withReplicas(count, of: master, found + [replica], body)
        }
    }

    private static func start(of master: RedisServer, password: String?) async throws -> Sentinel {
        let scratch = try Scratch()
        let port = try await FreePort.find()
        var lines = ["port \(port)", "bind 127.0.0.1", "dir \(scratch.path)"]
        lines += ["sentinel monitor \(masterName) 127.0.0.1 \(master.port) 2"]
        lines += ["sentinel down-after-milliseconds \(masterName) 500", "sentinel failover-timeout \(masterName) 4000"]
        if let password { lines += ["requirepass \(password)", "sentinel sentinel-pass \(password)"] }
        let file = try scratch.write(lines.joined(separator: "\n") + "\n", to: "sentinel.conf")
        let process = try ServerProcess("/usr/bin/redis-sentinel", [file])
        try await process.line(with: "+monitor")
        return Sentinel(port: port, process: process, scratch: scratch)
    }

    /// Waits until it knows all replicas and both other sentinels, in any order.
    private static func acquaint(_ sentinel: Sentinel, replicas count: Int) async throws {
        var expected = [String](repeating: "+slave ", count: count) + ["+sentinel ", "+sentinel "]
        while !expected.isEmpty {
            let line = try await sentinel.process.lines.next()
            if let index = expected.firstIndex(where: line.contains) { expected.remove(at: index) }
        }
    }

    private static func stop(_ sentinels: [Sentinel]) async throws {
        for sentinel in sentinels {
            try await sentinel.process.kill()
            sentinel.scratch.remove()
        }
    }
}
