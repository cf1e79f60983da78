import TestSupport
import Testing

/// A body that is larger than everything that the sockets and the gateway can hold between two peers.
struct LargeBody: Sendable {
    /// Bytes of a peer's socket buffer. Left to itself the system lets it grow, on some machines to 32 MiB.
    static let buffer = 128 << 10

    let piece: Int
    let pieces: Int
    /// Bytes that the next hop has taken.
    let accepted = Tally()

    var size: Int { piece * pieces }

    init(piece: Int = 64 << 10, pieces: Int) {
        self.piece = piece
        self.pieces = pieces
    }

    /// Sends the body piece by piece.
    ///
    /// - Parameter send: Gets a piece, and whether it is the last one.
    func pour(_ send: ([UInt8], Bool) async throws -> Void) async throws {
        let block = [UInt8](repeating: 7, count: piece)
        for number in 1...pieces {
            try await send(block, number == pieces)
            accepted.add(piece)
        }
    }

    func expectWhole(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let isWhole = bytes.count == size && bytes.allSatisfy { $0 == 7 }
        #expect(isWhole, "\(bytes.count) of \(size) bytes", sourceLocation: sourceLocation)
    }

    /// A backend that sends the body at `/open/large`, with a small send buffer.
    var sender: BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/open/large" else { return try await exchange.sendOK() }
            try await exchange.setSendBuffer(Self.buffer)
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try await pour { block, _ in try await exchange.send(block) }
        }
    }

    /// A backend that does not read the body at `/open/large` until the gate opens, with a small receive buffer.
    static func receiver(after gate: Gate) -> BackendScript {
        BackendScript { exchange in
            guard exchange.head.path == "/open/large" else { return try await exchange.sendOK() }
            try await exchange.setReceiveBuffer(buffer)
            try await gate.passed()
            try await exchange.body()
            try await exchange.sendOK()
        }
    }
}

extension GatewayFixture {
    /// Requests that give the gateway's one event loop time to go on with other connections.
    func ping(times: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let client = try await connect()
        for _ in 0..<times {
            let status = try await client.request(head("/open/ping")).status
            #expect(status == 200, sourceLocation: sourceLocation)
        }
    }
}
