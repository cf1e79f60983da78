/// A master, two replicas and three sentinels, of which two must agree that the master is down. When one of the servers
/// is lost there is still a replica to have each write.
struct SentinelSet {
    private static let masterName = "gate"

    let master: RedisServer
    let sentinels: [Sentinel]

    /// One `redis-sentinel`, which keeps what it knows in its configuration file.
    struct Sentinel {
        let port: Int
        fileprivate let process: ServerProcess
        fileprivate let scratch: Scratch
    }

    /// As `gateway.store` names it.
    var url: String {
        let addresses = sentinels.map { "127.0.0.1:\($0.port)" }
        return "redis+sentinel://\(addresses.joined(separator: ","))/\(Self.masterName)/0"
    }

    /// Runs `body` with a set whose members know each other.
    static func run(_ body: (SentinelSet) async throws -> Void) async throws {
        try await RedisServer.run { master in
            let replicaOf = ["replicaof 127.0.0.1 \(master.port)"]
            try await RedisServer.run(replicaOf) { first in
                try await first.process.line(with: "sync: Finished with success")
                try await RedisServer.run(replicaOf) { second in
                    try await second.process.line(with: "sync: Finished with success")
                    var sentinels: [Sentinel] = []
                    do {
                        for _ in 1...3 { sentinels.append(try await start(of: master)) }
                        for sentinel in sentinels { try await acquaint(sentinel) }
                        try await body(SentinelSet(master: master, sentinels: sentinels))
                    } catch {
                        try await stop(sentinels)
                        throw error
                    }
                    try await stop(sentinels)
                }
            }
        }
    }

    private static func start(of master: RedisServer) async throws -> Sentinel {
        let scratch = try Scratch()
        let port = try await FreePort.find()
        let lines = [
            "port \(port)", "bind 127.0.0.1", "dir \(scratch.path)",
            "sentinel monitor \(masterName) 127.0.0.1 \(master.port) 2",
            "sentinel down-after-milliseconds \(masterName) 500",
            "sentinel failover-timeout \(masterName) 4000",
        ]
        let file = try scratch.write(lines.joined(separator: "\n") + "\n", to: "sentinel.conf")
        let process = try ServerProcess("/usr/bin/redis-sentinel", [file])
        try await process.line(with: "+monitor")
        return Sentinel(port: port, process: process, scratch: scratch)
    }

    /// Waits until it has heard of both replicas and of both other sentinels, in whatever order.
    private static func acquaint(_ sentinel: Sentinel) async throws {
        var expected = ["+slave ", "+slave ", "+sentinel ", "+sentinel "]
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
