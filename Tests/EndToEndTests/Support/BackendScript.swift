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

    /// These bytes, and then nothing until the gateway is gone.
    static func answersAndWaits(_ raw: String) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(raw)
            try await exchange.gone()
            await exchange.close()
        }
    }

    /// ``ok``, once the test says so.
    ///
    /// - Parameter path: Of the requests that wait for it; nil: all.
    static func ok(after gate: Gate, at path: String? = nil) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            if path == nil || exchange.head.path == path { try await gate.passed() }
            try await exchange.sendOK()
        }
    }

    /// Nothing until the gateway is gone.
    static let silent = BackendScript { exchange in
        try await exchange.body()
        try await exchange.gone()
        await exchange.close()
    }

    /// Nothing while the test lasts.
    static func nothing(until over: Gate) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await over.passed()
        }
    }

    /// The end of the connection in the place of an answer.
    static let hangsUp = BackendScript { exchange in
        try await exchange.body()
        await exchange.close()
    }
}
