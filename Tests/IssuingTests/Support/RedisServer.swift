import Foundation
import Glibc
import NIOCore
import NIOPosix
import Redis

/// A `redis-server` on a free port with a directory of its own. It is there when a client, which tries until it is, is
/// connected.
final class RedisServer: Sendable {
    let address: RedisAddress
    private let directory: URL
    private let identifier: pid_t

    init() throws {
        address = RedisAddress(host: "127.0.0.1", port: try Self.freePort())
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("issuing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
        process.arguments = ["--port", "\(address.port)", "--bind", "127.0.0.1", "--dir", directory.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        identifier = process.processIdentifier
    }

    func remove() {
        kill(identifier, SIGKILL)
        try? FileManager.default.removeItem(at: directory)
    }

    private static func freePort() throws -> Int {
        let channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0)
            .wait()
        defer { try? channel.close().wait() }
        return channel.localAddress?.port ?? 0
    }
}
