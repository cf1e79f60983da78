import TestSupport

/// A backend that grants every WebSocket and leaves its end to the test.
final class TunnelBackend: Sendable {
    /// The backend's end of a tunnel.
    final class Server: Sendable {
        let head: RequestHead
        let bytes: TunnelBytes
        private let exchange: Exchange
        private let over = Gate("the end of the test's test")

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

        fileprivate func release() { over.open() }

        fileprivate func stay() async throws {
            try await over.passed()
            await exchange.close()
        }
    }

    let tunnels = Mailbox<Server>("a tunnel at the backend")
    private let response: String
    private let rightBehind: [UInt8]

    /// - Parameters:
    ///   - fields: Further lines of the 101, each with its CRLF.
    ///   - rightBehind: Leaves in one write with the 101.
    init(fields: String = "", rightBehind: [UInt8] = []) {
        response = Handshake.granted(fields: fields)
        self.rightBehind = rightBehind
    }

    /// Requests without an Upgrade are answered with 200.
    var script: BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.fields.list("Upgrade") == ["websocket"] else { return try await exchange.sendOK() }
            try await exchange.send(Array(self.response.utf8) + self.rightBehind)
            let server = Server(exchange)
            self.tunnels.put(server)
            try await server.stay()
        }
    }
}

/// The client's end of a tunnel.
final class TunnelClient: Sendable {
    /// The 101.
    let response: RawResponse
    let bytes: TunnelBytes
    private let client: RawClient

    /// - Throws: ``Malformed`` if the gateway has not granted a WebSocket.
    init(_ client: RawClient) async throws {
        self.client = client
        response = try await client.head()
        bytes = TunnelBytes { try await client.piece() }
        guard response.status == 101, response.fields["Sec-WebSocket-Accept"] == [Handshake.accept],
            response.fields.list("Upgrade") == ["websocket"], response.fields.list("Connection") == ["upgrade"]
        else { throw Malformed("no 101 but \(response.status) with \(response.fields)") }
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
        _ upstream: TunnelBackend,
        _ target: String = "/open/socket",
        host: String = "app.test",
        token: String? = nil,
        fields: [String] = Handshake.fields,
        receiveBuffer: Int? = nil
    ) async throws -> Tunnel {
        let client = try await connect(receiveBuffer: receiveBuffer)
        try await client.send(head(target, host: host, token: token, fields: fields))
        let end = try await TunnelClient(client)
        return Tunnel(fixture: self, client: end, server: try await upstream.tunnels.next())
    }

    /// Runs `test` with a new tunnel; the parameters are those of ``openTunnel(_:_:host:token:fields:receiveBuffer:)``.
    func withTunnel(
        _ upstream: TunnelBackend,
        _ target: String = "/open/socket",
        token: String? = nil,
        fields: [String] = Handshake.fields,
        receiveBuffer: Int? = nil,
        _ test: (Tunnel) async throws -> Void
    ) async throws {
        let tunnel = try await openTunnel(upstream, target, token: token, fields: fields, receiveBuffer: receiveBuffer)
        try await withTunnel(tunnel, test)
    }

    func withTunnel(_ tunnel: Tunnel, _ test: (Tunnel) async throws -> Void) async throws {
        defer { tunnel.server.release() }
        try await test(tunnel)
    }
}

/// Opens a gateway with one WebSocket through it, without a token.
func withTunnel(
    _ setup: GatewaySetup = GatewaySetup(),
    _ upstream: TunnelBackend = TunnelBackend(),
    receiveBuffer: Int? = nil,
    _ test: (Tunnel) async throws -> Void
) async throws {
    try await withGateway(setup, backend: upstream.script) { fixture async throws in
        try await fixture.withTunnel(upstream, receiveBuffer: receiveBuffer, test)
    }
}
