import TestSupport

/// A backend that grants every WebSocket and leaves its end of it to the test.
final class TunnelBackend: Sendable {
    /// The backend's end of a tunnel.
    final class Server: Sendable {
        let head: RequestHead
        let bytes: TunnelBytes
        private let exchange: Exchange
        private let over = Gate("the end of the test's visit")

        fileprivate init(_ exchange: Exchange) {
            head = exchange.head
            self.exchange = exchange
            bytes = TunnelBytes { try await exchange.pieceOfBody() }
        }

        func send(_ bytes: [UInt8]) async throws { try await exchange.send(bytes) }
        func send(_ frame: WebSocketFrame) async throws { try await exchange.send(frame.bytes) }
        func frame() async throws -> WebSocketFrame? { try await .read(from: bytes) }
        func setSendBuffer(_ bytes: Int) async throws { try await exchange.setSendBuffer(bytes) }
        func close() async { await exchange.close() }
        func reset() async throws { try await exchange.reset() }

        fileprivate func letGo() { over.open() }

        fileprivate func stay() async throws {
            try await over.passed()
            await exchange.close()
        }
    }

    let tunnels = Mailbox<Server>("a tunnel at the backend")
    private let answer: String
    private let rightBehind: [UInt8]

    /// - Parameters:
    ///   - fields: Further lines of the 101, each with its CRLF.
    ///   - rightBehind: Leaves in one write with the 101.
    init(fields: String = "", rightBehind: [UInt8] = []) {
        answer = Handshake.granted(fields: fields)
        self.rightBehind = rightBehind
    }

    /// Requests without an Upgrade are answered with 200.
    var script: BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.fields.list("Upgrade") == ["websocket"] else { return try await exchange.sendOK() }
            try await exchange.send(Array(self.answer.utf8) + self.rightBehind)
            let server = Server(exchange)
            self.tunnels.put(server)
            try await server.stay()
        }
    }
}

/// The client's end of a tunnel.
final class TunnelClient: Sendable {
    /// The 101.
    let answer: RawResponse
    let bytes: TunnelBytes
    private let client: RawClient

    /// - Throws: ``Malformed`` if the gateway has not granted a WebSocket.
    init(_ client: RawClient) async throws {
        self.client = client
        answer = try await client.head()
        bytes = TunnelBytes { try await client.piece() }
        guard answer.status == 101, answer.fields["Sec-WebSocket-Accept"] == [Handshake.accept],
            answer.fields.list("Upgrade") == ["websocket"], answer.fields.list("Connection") == ["upgrade"]
        else { throw Malformed("no 101 but \(answer.status) with \(answer.fields)") }
    }

    func send(_ bytes: [UInt8]) async throws { try await client.send(bytes) }
    func send(_ frame: WebSocketFrame) async throws { try await client.send(frame.bytes) }
    func frame() async throws -> WebSocketFrame? { try await .read(from: bytes) }
    func close() async { await client.close() }
    func reset() async throws { try await client.reset() }
}

/// Both ends of a tunnel through a gateway.
struct Tunnel: Sendable {
    let fixture: GatewayFixture
    let client: TunnelClient
    let server: TunnelBackend.Server

    /// Sends a frame each way and expects it at the other end.
    func expectOpen(_ text: String = "still there?") async throws {
        try await client.send(.fromClient(text))
        guard try await server.frame() == .fromClient(text) else { throw Malformed("another frame at the backend") }
        try await server.send(.fromServer(text))
        guard try await client.frame() == .fromServer(text) else { throw Malformed("another frame at the client") }
    }
}

extension GatewayFixture {
    /// Opens a WebSocket through the gateway.
    ///
    /// - Parameter receiveBuffer: Bytes of the client's SO_RCVBUF.
    func openTunnel(
        _ hall: TunnelBackend,
        _ target: String = "/open/socket",
        host: String = "app.test",
        token: String? = nil,
        fields: [String] = Handshake.fields,
        receiveBuffer: Int? = nil
    ) async throws -> Tunnel {
        let client = try await connect(receiveBuffer: receiveBuffer)
        try await client.send(head(target, host: host, token: token, fields: fields))
        let end = try await TunnelClient(client)
        return Tunnel(fixture: self, client: end, server: try await hall.tunnels.next())
    }

    func withTunnel(_ tunnel: Tunnel, _ visit: (Tunnel) async throws -> Void) async throws {
        defer { tunnel.server.letGo() }
        try await visit(tunnel)
    }
}

/// Opens a gateway with one WebSocket through it, without a token.
func withTunnel(
    _ setup: GatewaySetup = GatewaySetup(),
    _ hall: TunnelBackend = TunnelBackend(),
    receiveBuffer: Int? = nil,
    _ visit: (Tunnel) async throws -> Void
) async throws {
    try await withGateway(setup, backend: hall.script) { fixture async throws in
        let tunnel = try await fixture.openTunnel(hall, receiveBuffer: receiveBuffer)
        try await fixture.withTunnel(tunnel, visit)
    }
}
