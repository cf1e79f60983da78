import NIOCore
import Tenants
import TestSupport

/// A client that sends exact bytes and reads responses strictly.
final class RawClient: Sendable {
    private let wire: Wire
    private let reader: ByteReader

    init(_ wire: Wire) {
        self.wire = wire
        self.reader = ByteReader(wire)
    }

    /// One request and its response on a connection of its own.
    static func exchange(_ request: String, method: String = "GET", at address: HostPort) async throws -> RawResponse {
        let client = RawClient(try await Wire.connect(to: address))
        do {
            try await client.send(request)
            let response = try await client.response(to: method)
            await client.close()
            return response
        } catch {
            await client.close()
            throw error
        }
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8], within limit: TimeAmount = .patience) async throws {
        try await wire.send(bytes, within: limit)
    }

    /// One write a byte.
    func drip(_ text: String) async throws {
        for byte in text.utf8 { try await wire.send([byte]) }
    }

    /// The next final response with its body; 1xx ones before it are collected.
    ///
    /// - Throws: ``EndOfStream`` when the connection ends first, ``Truncated`` when it ends inside the body.
    func response(to method: String = "GET") async throws -> RawResponse {
        var interim: [RawResponse] = []
        while true {
            var response = try await head(to: method)
            if response.status < 200 {
                interim.append(response)
                continue
            }
            response.body = try await MessageBody.read(response.framing, from: reader)
            response.interim = interim
            return response
        }
    }

    /// Sends a request and reads its response.
    func request(_ text: String, method: String = "GET") async throws -> RawResponse {
        try await request(Array(text.utf8), method: method)
    }

    func request(_ bytes: [UInt8], method: String = "GET") async throws -> RawResponse {
        try await send(bytes)
        return try await response(to: method)
    }

    func setSendBuffer(_ bytes: Int) async throws { try await wire.setSendBuffer(bytes) }

    /// The next response head, 1xx or final; its body is left on the wire.
    func head(to method: String = "GET") async throws -> RawResponse {
        try await RawResponse.readHead(from: reader, method: method)
    }

    /// The body that a head from ``head(to:)`` announced.
    func body(_ framing: Framing) async throws -> MessageBody {
        try await MessageBody.read(framing, from: reader)
    }

    /// The next bytes, whatever they are; nil at the end.
    func piece() async throws -> [UInt8]? {
        try await reader.some()
    }

    /// Waits for the gateway's end of the connection (FIN or RST) and gives what came before it.
    @discardableResult
    func untilClosed() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while let piece = try await reader.some() { bytes += piece }
        } catch let error as NothingCame {
            throw error
        } catch {
            // A reset ends it too.
        }
        return bytes
    }

    func closeOutput() async throws {
        try await wire.closeOutput()
    }

    func close() async {
        await wire.close()
    }

    func reset() async throws {
        try await wire.reset()
    }
}
