import Foundation
import Glibc
import Testing

@testable import gatehouse

/// sd_notify(3), spoken to a real socket.
@Suite struct ServiceManagerTests {
    @Test(arguments: [false, true])
    func eventsAreReported(_ isAbstract: Bool) throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        defer { socket.close() }
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": socket.name])
        #expect(!manager.wasNotifiedOfReadiness)
        manager.notify(.ready(status: "Serving\n5 tenants"))
        #expect(manager.wasNotifiedOfReadiness)
        manager.notify(.alive)
        manager.notify(.reloading)
        manager.notify(.stopping)
        #expect(try socket.receive() == ["READY=1", "STATUS=Serving 5 tenants"])
        #expect(try socket.receive() == ["WATCHDOG=1"])
        let reloading = try socket.receive()
        #expect(reloading.first == "RELOADING=1")
        let time = try #require(reloading.first { $0.hasPrefix("MONOTONIC_USEC=") }?.dropFirst(15))
        #expect(try #require(Int(time)) > 0)
        #expect(try socket.receive().first == "STOPPING=1")
    }

    @Test func timeOfReloadingIsThatOfTheMonotonicClock() throws {
        let socket = try NotifySocket(isAbstract: false)
        defer { socket.close() }
        let before = Self.microseconds()
        ServiceManager(environment: ["NOTIFY_SOCKET": socket.name]).notify(.reloading)
        let after = Self.microseconds()
        let told = try #require(Int(try socket.receive()[1].dropFirst("MONOTONIC_USEC=".count)))
        #expect(before <= told && told <= after)
    }

    private static func microseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "@"], ["NOTIFY_SOCKET": "relative"],
        ["NOTIFY_SOCKET": "/nowhere"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 107)], ["NOTIFY_SOCKET": "vsock:2:1"],
    ])
    func withoutAManagerNothingIsSaid(_ environment: [String: String]) {
        ServiceManager(environment: environment).notify(.ready(status: "Serving"))
    }

    @Test func unresponsiveManagerIsNotWaitedFor() throws {
        let socket = try NotifySocket(isAbstract: false)
        defer { socket.close() }
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": socket.name])
        // Far more than a socket holds.
        for _ in 0..<20_000 { manager.notify(.alive) }
        #expect(try socket.receive() == ["WATCHDOG=1"])
    }

    private static let intervals: [([String: String], Duration?)] = [
        (["WATCHDOG_USEC": "30000000"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"], nil),
        (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
    ]

    @Test(arguments: intervals)
    func watchdogIsServedOnlyForThisProcess(_ environment: [String: String], _ interval: Duration?) {
        let manager = ServiceManager(environment: environment.merging(["NOTIFY_SOCKET": "/run/n"]) { $1 }, process: 42)
        #expect(manager.watchdogInterval == interval)
        #expect(ServiceManager(environment: environment, process: 42).watchdogInterval == nil)
    }
}

/// A service manager's end of the socket.
private struct NotifySocket {
    struct Failure: Error {
        var what: String
        var code = errno
    }

    let name: String
    private let descriptor: Int32

    init(isAbstract: Bool) throws {
        let unique = "gatehouse-notify-\(UUID().uuidString.prefix(8))"
        name = isAbstract ? "@\(unique)" : NSTemporaryDirectory() + unique
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(what: "socket") }
        var bytes = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + Array(name.utf8)
        if isAbstract { bytes[2] = 0 } else { bytes.append(0) }
        let bound = bytes.withUnsafeBytes { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return bind(descriptor, address, socklen_t(bytes.count))
        }
        guard bound == 0 else { throw Failure(what: "bind") }
    }

    /// The lines of the next datagram, which has been sent already.
    func receive() throws -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { throw Failure(what: "nothing was received") }
        return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func close() {
        _ = Glibc.close(descriptor)
        unlink(name)
    }
}
