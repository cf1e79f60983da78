import HTTPCore
import NIOCore
import NIOEmbedded
import SwiftProtobuf
import TestSupport

@testable import ExtAuthz
@testable import ExtAuthzMessages

/// What a peer of the gRPC listener may send.
enum ExtAuthzFuzz {
    static let targets = [message, connection]

    // MARK: Messages

    private static let messages: [[UInt8]] = [
        .with {
            $0.attributes.source.address.socketAddress.address = "192.0.2.7"
            $0.attributes.request.http.method = "GET"
            $0.attributes.request.http.path = "/a?b=c"
            $0.attributes.request.http.host = "app.test"
            $0.attributes.request.http.headerMap.headers = [":path", "cookie"].map { name in
                .with {
                    $0.key = name
                    $0.rawValue = .init("/a?b=c".utf8)
                }
            }
        },
        Envoy_Service_Auth_V3_CheckRequest.with {
            $0.attributes.request.http.headers = ["accept": "*/*"]
            $0.attributes.request.http.protocol = "HTTP/2"
            $0.attributes.request.http.scheme = "https"
        },
    ].map { (try? $0.serializedBytes()) ?? [] }

    /// Read as SwiftProtobuf reads them; and a head is one head and nothing behind it.
    static let message = FuzzTarget("ext-authz-message", seeds: messages, words: ["\r\n", "\u{0}", "x-forwarded-for"]) {
        bytes in
        guard let request = try? QueriedRequest.read(bytes) else { return false }
        guard let reference = try? Envoy_Service_Auth_V3_CheckRequest(serializedBytes: bytes) else {
            throw FuzzFailure("SwiftProtobuf refuses it")
        }
        let head = request.head()
        try hold(head == QueriedRequest(reference).head(), "SwiftProtobuf's message has another head")
        guard let head else { return true }
        let ends = (3..<head.count).filter { head[($0 - 3)...$0].elementsEqual([0x0d, 0x0a, 0x0d, 0x0a]) }
        try hold(ends == [head.count - 1], "the head is not one head")
        return true
    }

    // MARK: Connections

    private static var call: [UInt8] {
        var session = HTTP2Session(role: .client, limits: HTTP2Limits())
        session.start()
        for _ in 0..<2 {
            guard let stream = session.openStream() else { continue }
            session.sendHeaders(stream: stream, endStream: false) { encoder, out in
                for (name, value) in EmbeddedEnvoy.call {
                    let (name, value) = (Array(name.utf8), Array(value.utf8))
                    encoder.encode(name: name.span, value: value.span, indexing: .without, to: &out)
                }
            }
            let prefix: [UInt8] = [0, 0, 0, 0, UInt8(messages[1].count)]
            session.sendData(stream: stream, ByteBuffer(bytes: prefix + messages[1]), endStream: true)
        }
        return Array(session.output.readableBytesView)
    }

    /// The introspected tokens, and the responses.
    private static func outcome(_ pieces: [[UInt8]]) throws -> ([QueriedRequest], [UInt8]) {
        let authorizer = PendingAuthorizer(trusting: ["192.0.2.1"])
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "192.0.2.1", port: 8080)
        try channel.pipeline.syncOperations.addHandler(
            AuthorizationConnection(authorizer: authorizer, maximumMessageLength: 100, idleTime: .seconds(60))
        )
        channel.pipeline.fireChannelActive()
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        var sent: [UInt8] = []
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { sent += Array(bytes.readableBytesView) }
        return (authorizer.requests, sent)
    }

    /// Byte by byte, with the same requests and output.
    static let connection = FuzzTarget("ext-authz-connection", seeds: [call], quickInputs: 300) { bytes in
        let whole = try outcome([bytes])
        let cut = try outcome(bytes.map { [$0] })
        try hold(cut.0 == whole.0, "other questions byte by byte")
        try hold(cut.1 == whole.1, "another output byte by byte")
        return !whole.0.isEmpty
    }
}
