/// The behaviour of a backend for each request.
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

    /// Sends these bytes after the request.
    static func response(_ raw: String) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(raw)
        }
    }

    /// Sends these bytes, then closes the connection.
    static func responseThenClose(_ raw: String) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(raw)
            await exchange.close()
        }
    }

    /// Sends these bytes, then waits until the gateway disconnects.
    static func responseThenWait(_ raw: String) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(raw)
            try await exchange.gone()
            await exchange.close()
        }
    }

    /// ``ok``, once the gate opens.
    ///
    /// - Parameter path: The path of the requests that wait; nil: all.
    static func ok(after gate: Gate, at path: String? = nil) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            if path == nil || exchange.head.path == path { try await gate.passed() }
            try await exchange.sendOK()
        }
    }

    /// Silent until the gateway disconnects.
    static let silent = BackendScript { exchange in
        try await exchange.body()
        try await exchange.gone()
        await exchange.close()
    }

    /// Silent until the gate opens.
    static func nothing(until over: Gate) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            try await over.passed()
        }
    }

    /// Closes the connection without a response.
    static let hangsUp = BackendScript { exchange in
        try await exchange.body()
        await exchange.close()
    }
}
