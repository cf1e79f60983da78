import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct ClientHelloTests {
    /// A length of `width` bytes before `content`.
    private func vector(_ width: Int, _ content: [UInt8]) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) } + content
    }

    private func serverName(_ name: String) -> [UInt8] {
        [0, 0] + vector(2, vector(2, [0] + vector(2, Array(name.utf8))))
    }

    private func protocols(_ names: [[UInt8]]) -> [UInt8] {
        [0, 16] + vector(2, vector(2, names.flatMap { vector(1, $0) }))
    }

    /// A ClientHello, in records of at most `longest` bytes.
    private func hello(_ extensions: [UInt8]?, longest: Int = .max) -> [UInt8] {
        var body: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + vector(1, [1, 2, 3])
        body += vector(2, [0x13, 0x01]) + vector(1, [0])
        if let extensions { body += vector(2, extensions) }
        var rest = ([1] + vector(3, body))[...]
        var records: [UInt8] = []
        while !rest.isEmpty {
            let fragment = rest.prefix(longest)
            records += [22, 3, 1] + vector(2, Array(fragment))
            rest = rest.dropFirst(fragment.count)
        }
        return records
    }

    private func read(_ bytes: [UInt8]) -> ClientHelloReader.Outcome {
        var reader = ClientHelloReader()
        return reader.read(ByteBuffer(bytes: bytes))
    }

    /// Fed one byte more each time.
    private func drip(_ bytes: [UInt8]) -> ClientHelloReader.Outcome {
        var reader = ClientHelloReader()
        var soFar = ByteBuffer()
        for byte in bytes {
            soFar.writeInteger(byte)
            let outcome = reader.read(soFar)
            if outcome != .needsMore { return outcome }
        }
        return .needsMore
    }

    @Test func nameAndProtocolsAreRead() {
        let other: [UInt8] = [0x0a, 0x0a] + vector(2, [1, 2])
        let bytes = hello(other + serverName("Shop.Test.") + protocols([Array("h2".utf8), [0xfa, 0xfa]]))
        guard case .hello(let found) = read(bytes) else {
            Issue.record("no hello was found")
            return
        }
        #expect(found.serverName == "shop.test")
        #expect(found.applicationProtocols?.first == "h2")
        #expect(found.applicationProtocols?.count == 2)
    }

    @Test func helloWithoutExtensionsIsRead() {
        #expect(read(hello(nil)) == .hello(ClientHello()))
        #expect(read(hello([])) == .hello(ClientHello()))
    }

    @Test(arguments: [1, 2, 3, 5, 40, 100])
    func helloOverSeveralRecordsIsRead(longest: Int) {
        let expected = ClientHelloReader.Outcome.hello(ClientHello(serverName: "a.test"))
        let bytes = hello(serverName("a.test"), longest: longest)
        #expect(read(bytes) == expected)
        #expect(drip(bytes) == expected)
    }

    @Test func incompleteHelloNeedsMore() {
        let bytes = hello(serverName("a.test"))
        for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == .needsMore, "\(count)") }
        #expect(read(bytes + [1, 2, 3]) == .hello(ClientHello(serverName: "a.test")))
    }

    @Test(arguments: ["GET / HTTP/1.1", "PRI * HTTP/2.0", "x", " ", "~"])
    func plainTextIsRecognizedByFirstByte(text: String) {
        #expect(read(Array(text.utf8.prefix(1))) == .plainText)
        #expect(read(Array(text.utf8)) == .plainText)
    }

    @Test func otherBytesAreUnreadable() {
        let cases: [[UInt8]] = [
            [23, 3, 3, 0, 1, 0],  // application data
            [22, 2, 0, 0, 1, 1],  // another major version
            [22, 3, 1, 0, 0],  // an empty record
            [22, 3, 1, 0x40, 1],  // a record that is too long
            [22, 3, 1, 0, 4, 2, 0, 0, 0],  // a ServerHello
            [22, 3, 1, 0, 4, 1, 1, 0, 0],  // a message that is too long
            [0x80, 0x2e, 1, 0, 2],  // SSL 2
            [0, 0, 0, 0, 0],
            hello([0, 0, 0, 9]),  // an extension that is cut short
            hello([0, 0] + vector(2, [])),  // a list of names that is not there
            hello([0, 16] + vector(2, vector(2, [5, 1]))),
            hello(serverName("")), hello(serverName("a b")), hello(serverName("a\u{0}b")), hello(serverName("ä")),
        ]
        for bytes in cases { #expect(read(bytes) == .unreadable, "\(bytes)") }
    }

    @Test func tinyRecordsAreBounded() {
        var reader = ClientHelloReader()
        var bytes = ByteBuffer(bytes: [22, 3, 1, 0, 1, 1, 22, 3, 1, 0, 1, 0, 22, 3, 1, 0, 1, 0x3f, 22, 3, 1, 0, 1, 0])
        var outcome = reader.read(bytes)
        while outcome == .needsMore, bytes.readableBytes < 40_000 {
            bytes.writeBytes([22, 3, 1, 0, 1, 0])
            outcome = reader.read(bytes)
        }
        #expect(outcome == .unreadable)
        #expect(bytes.readableBytes <= (32 << 10) + 6)
    }
}
