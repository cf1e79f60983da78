import NIOCore
import NIOEmbedded
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy
@testable import Tenants

/// Which connections are accepted at the limit of the process.
@Suite struct CrowdedListenerTests {
    private static let proxy = "127.0.0.1"

    private let fixture: EmbeddedWorker
    private let loop: EmbeddedEventLoop

    /// 32 connections, of which the last two are kept for addresses that are not crowded.
    init() throws {
        var gateway = GatewaySettings(listeners: [])
        gateway.limits.connections = 32
        gateway.trustedProxies = [try #require(AddressRange(cidr: "127.0.0.1/32"))]
        fixture = EmbeddedWorker([try RequestPipeline.tenant()], gateway: gateway)
        loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
    }

    /// - Parameter client: The client address that the proxy names.
    private func connect(from address: String, for client: String? = nil, sending text: String = "") throws
        -> EmbeddedChannel
    {
        let channel = EmbeddedChannel(
            handler: ProtocolDetectionHandler(worker: fixture.worker, isTLS: false),
            loop: loop
        )
        try channel.connect(to: SocketAddress(ipAddress: address, port: 4000)).wait()
        let header = client.map { "PROXY TCP4 \($0) 192.0.2.1 41000 443\r\n" } ?? ""
        if !(header + text).isEmpty, channel.isActive { try channel.writeInbound(ByteBuffer(string: header + text)) }
        loop.run()
        return channel
    }

    private func status(_ channel: EmbeddedChannel) throws -> String? {
        try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0).prefix(12).description }
    }

    @Test func crowdedAddressBehindProxyDoesNotUseReserve() throws {
        let crowd = try (0..<32).map { _ in try connect(from: Self.proxy, for: "203.0.113.9") }
        #expect(crowd.allSatisfy { $0.isActive })
        let refused = try connect(from: Self.proxy, for: "203.0.113.10")
        #expect(try status(refused) == "HTTP/1.1 503")
        #expect(crowd.filter { $0.isActive }.count == 30)

        let again = try connect(from: Self.proxy, for: "203.0.113.9")
        #expect(!again.isActive)
        let answer = try status(again)
        #expect(answer == nil)
        let other = try connect(from: Self.proxy, for: "203.0.113.10")
        #expect(other.isActive)
        let early = try status(other)
        #expect(early == nil)
    }

    @Test func proxyConnectionsAreNotEvicted() throws {
        let proxied = try (0..<20).map { _ in try connect(from: Self.proxy, sending: "GET") }
        let flood = try (0..<12).map { _ in try connect(from: "203.0.113.9") }
        let refused = try connect(from: "203.0.113.10")
        #expect(try status(refused) == "HTTP/1.1 503")
        #expect(proxied.allSatisfy { $0.isActive })
        #expect(flood.filter { $0.isActive }.count == 10)
    }

    @Test func floodIsEvictedForProxy() throws {
        let proxied = try (0..<20).map { _ in try connect(from: Self.proxy, sending: "GET") }
        let flood = try (0..<12).map { _ in try connect(from: "203.0.113.9") }
        let refused = try connect(from: Self.proxy)
        #expect(try status(refused) == "HTTP/1.1 503")
        #expect(proxied.allSatisfy { $0.isActive })
        #expect(flood.filter { $0.isActive }.count == 10)
    }

    @Test func connectionWithUnsentBytesIsNotIdle() throws {
        let channel = try connect(from: "203.0.113.9", sending: "GET")
        let client = try #require(fixture.worker.connections.all.last)
        #expect(client.isIdle)
        channel.write(ByteBuffer(string: "rest of a response"), promise: nil)
        #expect(!client.isIdle)
        channel.flush()
        #expect(client.isIdle)
    }
}
