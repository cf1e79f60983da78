import NIOCore
import NIOPosix
import Tenants
import Verification

/// Clients of one address, each with one request at a time.
struct RollingClients: Sendable {
    let address: HostPort
    let provider: RotatingProvider
    let log: RollingLog

    /// The app: WebSockets are echoed, `/slow` takes its time, and the provider serves all else.
    static func script(_ provider: RotatingProvider) -> BackendScript {
        BackendScript { exchange in
            if exchange.head.fields.list("Upgrade") == ["websocket"] { return try await echo(exchange) }
            if exchange.head.path == "/slow" {
                try await MultiThreadedEventLoopGroup.singleton.any()
                    .scheduleTask(in: .milliseconds(300)) {}.futureResult.get()
            }
            try await provider.script.run(exchange)
        }
    }

    private static func echo(_ exchange: Exchange) async throws {
        try await exchange.body()
        try await exchange.send(Handshake.granted())
        let bytes = TunnelBytes { try await exchange.pieceOfBody() }
        while let frame = try await WebSocketFrame.read(from: bytes) {
            var response = frame
            response.mask = nil
            try await exchange.send(response.bytes)
            if frame.opcode == WebSocketFrame.Opcode.close.rawValue { break }
        }
        await exchange.close()
    }

    /// Runs them all until the log is closed.
    func run() async {
        await withTaskGroup { group in
            for number in 0..<4 { group.addTask { await keepAlive("/x/\(number)", .keepAlive) } }
            for number in 0..<2 {
                group.addTask { await keepAlive("/slow", .slow) }
                group.addTask { await again(.newConnection) { try await newConnection("/y/\(number)") } }
                group.addTask { await again(.refreshed) { try await refreshed() } }
                group.addTask { await again(.message) { try await webSocket() } }
            }
        }
    }

    /// - Parameter turn: Returns what went wrong; nil: nothing.
    private func again(_ kind: RollingLog.Kind, _ turn: () async throws -> String?) async {
        while !log.isOver {
            do {
                if let mistake = try await turn() { return log.bad(kind, mistake) }
                if kind != .message { log.good(kind) }
            } catch {
                return log.bad(kind, "\(error)")
            }
        }
    }

    // MARK: Requests

    /// Alternating GETs and POSTs on one connection.
    private func keepAlive(_ target: String, _ kind: RollingLog.Kind) async {
        do {
            let token = try provider.signIn().access
            let client = RawClient(try await Wire.connect(to: address))
            var turn = 0
            while !log.isOver {
                let body = turn % 2 == 0 ? "" : String(repeating: "\(turn) ", count: turn % 5000)
                if let mistake = try await ask(client, target, token, body) {
                    log.bad(kind, mistake)
                    break
                }
                log.good(kind)
                turn += 1
            }
            await client.close()
        } catch {
            log.bad(kind, "\(error)")
        }
    }

    private func newConnection(_ target: String) async throws -> String? {
        let client = RawClient(try await Wire.connect(to: address))
        let mistake = try await ask(client, target, try provider.signIn().access, "once", ["Connection: close"])
        await client.close()
        return mistake
    }

    /// - Parameter body: Empty: a GET.
    private func ask(
        _ client: RawClient,
        _ target: String,
        _ token: String,
        _ body: String,
        _ fields: [String] = []
    ) async throws -> String? {
        let method = body.isEmpty ? "GET" : "POST"
        var lines = ["\(method) \(target) HTTP/1.1", "Host: app.test", "Authorization: Bearer \(token)"] + fields
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        let response = try await client.request(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, method: method)
        guard response.status == 200, response.body.text == "0 \(body)" else {
            return "\(method) \(target): \(response.status) \(response.body.text.prefix(200))"
        }
        return nil
    }

    /// A session with a rejected token: the response delivers new tokens, and the provider sees the old ones once.
    private func refreshed() async throws -> String? {
        let old = try provider.signIn(["iat": TestIssuer.fromNow(-4000), "exp": TestIssuer.fromNow(-400)])
        let balancer = Instance(address: address, admin: address)
        let response = try await balancer.visit("/z", old.cookies)
        let new = try provider.current(old)
        let cookies = response.fields["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
        guard response.status == 200, cookies == ["access=\(new.access)", "rt=\(new.refresh)"], new != old else {
            return "\(response.status) with \(cookies.count) cookies: \(response.body.text.prefix(200))"
        }
        return nil
    }

    // MARK: WebSockets

    /// One WebSocket, until its instance sends Close.
    private func webSocket() async throws -> String? {
        let client = RawClient(try await Wire.connect(to: address))
        let lines = ["GET /socket HTTP/1.1", "Host: app.test", "Authorization: Bearer \(try provider.signIn().access)"]
        try await client.send((lines + Handshake.fields).joined(separator: "\r\n") + "\r\n\r\n")
        let tunnel = try await TunnelClient(client)
        while !log.isOver {
            let sent = WebSocketFrame.fromClient("still there?")
            try await tunnel.send(sent)
            let received = try await tunnel.frame()
            if received?.closeCode == 1001 {
                log.good(.moved)
                break
            }
            guard received == .fromServer("still there?") else {
                await tunnel.close()
                return "another frame, or none: \(String(describing: received))"
            }
            log.good(.message)
        }
        await tunnel.close()
        return nil
    }
}
