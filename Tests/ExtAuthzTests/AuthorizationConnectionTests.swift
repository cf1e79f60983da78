import HTTPCore
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import ExtAuthz

/// The service as gRPC over HTTP/2, frame by frame.
@Suite struct AuthorizationConnectionTests {
    /// A preflight for GET, below the prefix.
    fileprivate static let question: [UInt8] =
        [0, 0, 0, 0, 11, 0x0a, 0x09, 0x22, 0x07, 0x12, 0x05, 0x12, 0x03] + Array("GET".utf8)

    // MARK: Replies

    @Test func replyIsOneMessageWithStatusOK() throws {
        let envoy = try EmbeddedEnvoy()
        let stream = try #require(try envoy.open())
        try envoy.send(stream, Self.question, endStream: true)
        #expect(envoy.responses[stream] == nil)
        #expect(envoy.authorizer.requests.map(\.method) == [Array("GET".utf8)])
        envoy.authorizer.grant(0)
        try envoy.exchange()
        let response = try #require(envoy.responses[stream])
        #expect(
            response.fields == [":status": "200", "content-type": "application/grpc", "grpc-status": "0"]
        )
        #expect(response.body == EmbeddedEnvoy.grant)
        #expect(response.isComplete && response.reset == nil)
    }

    @Test func messageInPiecesIsReadWhole() throws {
        let envoy = try EmbeddedEnvoy()
        let stream = try #require(try envoy.open(["content-type": "application/grpc+proto"]))
        for byte in Self.question { try envoy.send(stream, [byte], endStream: false) }
        #expect(envoy.authorizer.requests.isEmpty)
        try envoy.send(stream, [], endStream: true)
        #expect(envoy.authorizer.requests.map(\.method) == [Array("GET".utf8)])
    }

    @Test func repliesMayComeInAnyOrder() throws {
        let envoy = try EmbeddedEnvoy()
        for _ in 0..<3 { _ = try envoy.call(Self.question) }
        for index in [2, 0, 1] { envoy.authorizer.grant(index) }
        try envoy.exchange()
        #expect(envoy.responses.mapValues(\.body) == [1, 3, 5].reduce(into: [:]) { $0[$1] = EmbeddedEnvoy.grant })
    }

    // MARK: Querying peers

    @Test(arguments: ["192.0.2.1", "2001:db8::1"])
    func peerIsTheAddressWithoutItsPort(_ address: String) throws {
        let envoy = try EmbeddedEnvoy(SocketAddress(ipAddress: address, port: 8080))
        _ = try envoy.call(Self.question)
        #expect(envoy.authorizer.peers == [address])
    }

    @Test func otherPeersAreRefusedBeforeTheirMessage() throws {
        let peers = try [
            nil, SocketAddress(unixDomainSocketPath: "/run/envoy.sock"), SocketAddress(ipAddress: "192.0.2.2", port: 1),
        ]
        for peer in peers {
            let envoy = try EmbeddedEnvoy(peer)
            let stream = try #require(try envoy.open())
            #expect(envoy.responses[stream]?.fields["grpc-status"] == "7")
            #expect(envoy.responses[stream]?.reset == .noError)
            #expect(try envoy.call(Self.question).fields["grpc-status"] == "7")
            #expect(envoy.authorizer.peers.isEmpty)
        }
    }

    // MARK: Requests that are not preflights

    @Test(
        arguments: [
            (["content-type": "text/plain"], "415", nil), (["content-type": nil], "415", nil),
            (["content-type": "application/grpc-web"], "415", nil),
            ([":method": "GET"], "200", "3"),
            ([":path": "/"], "200", "12"), ([":path": "/envoy.service.auth.v3.Authorization/check"], "200", "12"),
            (["grpc-encoding": "gzip"], "200", "12"),
        ] as [([String: String?], String, String?)]
    )
    func callThatIsNoneOfTheServiceIsRefused(_ fields: [String: String?], _ status: String, _ code: String?) throws {
        let envoy = try EmbeddedEnvoy()
        let response = try envoy.call(Self.question, fields)
        #expect(response.fields[":status"] == status)
        #expect(response.fields["grpc-status"] == code)
        #expect(response.isComplete && response.body.isEmpty)
        #expect(envoy.authorizer.requests.isEmpty)
        // The connection is as good as before.
        _ = try envoy.call(Self.question, ["grpc-encoding": "identity"])
        #expect(envoy.authorizer.requests.count == 1)
    }

    @Test(
        arguments: [
            // Nothing, a prefix alone, less than it says, more than one message.
            ([], "13"), ([0, 0, 0, 0, 4], "13"), ([0, 0, 0, 0, 4, 1, 2], "13"),
            (AuthorizationConnectionTests.question + AuthorizationConnectionTests.question, "13"),
            // Compressed, and by a flag that does not exist.
            ([1] + AuthorizationConnectionTests.question.dropFirst(), "12"),
            ([2] + AuthorizationConnectionTests.question.dropFirst(), "13"),
            // More than the limit, by what it says alone.
            ([0, 0, 0, 0, 101], "8"), ([0, 0xff, 0xff, 0xff, 0xff], "8"),
            // No message of Protobuf.
            ([0, 0, 0, 0, 1, 0xff], "3"),
        ] as [([UInt8], String)]
    )
    func messageThatIsNoneIsRefused(_ body: [UInt8], _ code: String) throws {
        let envoy = try EmbeddedEnvoy()
        let response = try envoy.call(body)
        #expect(response.fields[":status"] == "200")
        #expect(response.fields["grpc-status"] == code)
        #expect(response.isComplete)
        #expect(envoy.authorizer.requests.isEmpty)
    }

    @Test(arguments: [["content-length": "5"], [":scheme": "ftp"], [":scheme": nil], ["connection": "close"]])
    func headThatHTTP2DoesNotAllowResetsTheCall(_ fields: [String: String?]) throws {
        let envoy = try EmbeddedEnvoy()
        #expect(try envoy.call(Self.question, fields).reset == .protocolError)
        #expect(envoy.authorizer.requests.isEmpty)
    }

    // MARK: Calls that end early

    @Test func callEndsAtItsDeadlineAndALaterReplyIsDropped() throws {
        let envoy = try EmbeddedEnvoy()
        let stream = try #require(try envoy.open(["grpc-timeout": "50m"]))
        try envoy.send(stream, Self.question, endStream: true)
        envoy.channel.embeddedEventLoop.advanceTime(by: .milliseconds(49))
        try envoy.exchange()
        #expect(envoy.responses[stream] == nil)
        envoy.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        try envoy.exchange()
        #expect(envoy.responses[stream]?.fields["grpc-status"] == "4")
        envoy.authorizer.grant(0)
        try envoy.exchange()
        #expect(envoy.responses[stream]?.body == [])
    }

    @Test(arguments: ["", "m", "1", "123456789S", "-1S", "1s", "99999999H"])
    func timeoutThatIsNoneIsIgnored(_ timeout: String) throws {
        let envoy = try EmbeddedEnvoy()
        let stream = try #require(try envoy.open(["grpc-timeout": timeout]))
        envoy.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        try envoy.send(stream, Self.question, endStream: true)
        envoy.authorizer.grant(0)
        try envoy.exchange()
        #expect(envoy.responses[stream]?.body == EmbeddedEnvoy.grant)
    }

    @Test func replyToACancelledCallIsDropped() throws {
        let envoy = try EmbeddedEnvoy()
        let stream = try #require(try envoy.open())
        try envoy.send(stream, Self.question, endStream: true)
        try envoy.reset(stream)
        envoy.authorizer.grant(0)
        _ = try envoy.call(Self.question)
        envoy.authorizer.grant(1)
        try envoy.exchange()
        #expect(envoy.responses.mapValues(\.body) == [stream + 2: EmbeddedEnvoy.grant])
    }

    // MARK: The end of the connection

    @Test func drainedConnectionAnswersWhatIsUnderWay() throws {
        let envoy = try EmbeddedEnvoy()
        let stream = try #require(try envoy.open())
        envoy.channel.pipeline.fireUserInboundEventTriggered(AuthorizationConnection.Event.drain)
        try envoy.exchange()
        #expect(envoy.lastStreamOfGoAway == stream)
        try envoy.send(stream, Self.question, endStream: true)
        envoy.authorizer.grant(0)
        try envoy.exchange()
        #expect(envoy.responses[stream]?.body == EmbeddedEnvoy.grant)
        #expect(envoy.responses[stream]?.isComplete == true)
    }

    @Test func idleConnectionIsToldToGo() throws {
        let envoy = try EmbeddedEnvoy()
        _ = try envoy.call(Self.question)
        // While it is being decided, the connection is not idle.
        envoy.channel.embeddedEventLoop.advanceTime(by: .seconds(90))
        try envoy.exchange()
        envoy.authorizer.grant(0)
        try envoy.exchange()
        #expect(envoy.lastStreamOfGoAway == nil)
        envoy.channel.embeddedEventLoop.advanceTime(by: .seconds(121))
        try envoy.exchange()
        #expect(envoy.lastStreamOfGoAway == 1)
    }

    @Test func callWhoseMessageDoesNotComeEndsWithItsConnection() throws {
        let envoy = try EmbeddedEnvoy()
        _ = try envoy.open()
        let closes = Tally()
        envoy.channel.closeFuture.whenComplete { _ in closes.add(1) }
        envoy.channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(closes.value == 0)
        envoy.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(closes.value == 1)
    }
}
