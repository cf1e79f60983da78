import Foundation
import NIOCore
import TestSupport

@testable import HTTPCore
@testable import Upstream

/// What is read of connections without taking part: TLS before its handshake, and WebSockets.
enum ConnectionFuzz {
    static let targets = [clientHello, webSocketFrames, webSocketKey]

    private static func vector(_ width: Int, _ content: [UInt8]) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) } + content
    }

    private static func hello(_ name: String, _ protocols: [String], longest: Int) -> [UInt8] {
        let names = [0, 0] + vector(2, vector(2, [0] + vector(2, Array(name.utf8))))
        let extensions = names + [0, 16] + vector(2, vector(2, protocols.flatMap { vector(1, Array($0.utf8)) }))
        var body: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + vector(1, [1, 2, 3])
        body += vector(2, [0x13, 0x01]) + vector(1, [0]) + vector(2, extensions)
        var rest = ([1] + vector(3, body))[...]
        var records: [UInt8] = []
        while !rest.isEmpty {
            records += [22, 3, 1] + vector(2, Array(rest.prefix(longest)))
            rest = rest.dropFirst(longest)
        }
        return records
    }

    static let clientHello = FuzzTarget(
        "client-hello",
        seeds: [
            hello("App.test", ["h2", "http/1.1"], longest: .max), hello("a.", [], longest: 40),
            hello("app.test", ["http/1.1"], longest: 3),
        ]
    ) { bytes in
        var atOnce = ClientHelloReader()
        let whole = atOnce.read(ByteBuffer(bytes: bytes))
        var dripped = ClientHelloReader()
        var last = ClientHelloReader.Outcome.needsMore
        var buffer = ByteBuffer()
        for byte in bytes where last == .needsMore {
            buffer.writeInteger(byte)
            last = dripped.read(buffer)
        }
        try hold(last == whole, "read another way byte by byte: \(last), at once \(whole)")
        guard case .hello(let hello) = whole else { return false }
        guard let name = hello.serverName else { return true }
        try hold(!name.isEmpty && !name.hasSuffix("."), "the name \(name) is empty or ends in a dot")
        try hold(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !($0 >= 0x41 && $0 <= 0x5a) }, "the name is \(name)")
        return true
    }

    static let webSocketFrames = FuzzTarget(
        "websocket-frames",
        seeds: [
            [0x81, 5] + Array("hello".utf8) + [0x89, 0x80, 1, 2, 3, 4] + [0x88, 2, 3, 0xe8],
            [0x02, 0x7e, 0, 130] + [UInt8](repeating: 7, count: 130) + [0x80, 0x81, 1, 2, 3, 4, 5],
            [0x82, 0xff, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4, 9, 9, 9],
        ]
    ) { bytes in
        var atOnce = FrameBoundary()
        atOnce.advance(bytes.span)
        var dripped = FrameBoundary()
        for byte in bytes {
            let piece = [byte]
            let ends = dripped.prefixToBoundary(piece.span) == 1
            let wasAtBoundary = dripped.isAtBoundary
            dripped.advance(piece.span)
            try hold(wasAtBoundary || ends == dripped.isAtBoundary, "looking ahead and going on differ")
        }
        try hold(atOnce.isAtBoundary == dripped.isAtBoundary, "a boundary depends on how the bytes were cut")
        try hold(atOnce.hasClosed == dripped.hasClosed, "the end depends on how the bytes were cut")
        try hold(atOnce.isBroken == dripped.isBroken, "the breach depends on how the bytes were cut")
        return !atOnce.isBroken
    }

    static let webSocketKey = FuzzTarget(
        "websocket-key",
        texts: ["dGhlIHNhbXBsZSBub25jZQ==", "AAAAAAAAAAAAAAAAAAAAAA==", "/+/+/+/+/+/+/+/+/+/+/w=="],
        words: ["==", "=", "+", "/"]
    ) { bytes in
        let isKey = WebSocketHandshake.isKey(bytes.span)
        let decoded = Data(base64Encoded: Data(bytes))
        let isCanonical = decoded?.count == 16 && decoded.map { Array($0.base64EncodedData()) } == bytes
        try hold(isKey == isCanonical, "judged \(isKey), and another decoder says \(isCanonical)")
        return isKey
    }
}
