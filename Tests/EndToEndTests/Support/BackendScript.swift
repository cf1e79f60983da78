/// What a backend does with each request.
struct BackendScript: Sendable {
    let run: @Sendable (Exchange) async throws -> Void

    init(_ run: @escaping @Sendable (Exchange) async throws -> Void) {
        self.run = run
    }

    /// 200 with the body "ok".
    static let ok = BackendScript { exchange in
        try await exchange.body()
        try await exchange.sendOK()
    }

    /// 200 with the request's body.
    static let echo = BackendScript { exchange in
        let body = try await exchange.body().bytes
        try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        try await exchange.send(body)
    }

    /// These bytes, once the request is there.
    static func answers(_ raw: String) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(raw)
        }
    }

    /// These bytes, then the end of the connection.
    static func answersAndCloses(_ raw: String) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(raw)
            await exchange.close()
        }
    }
}
