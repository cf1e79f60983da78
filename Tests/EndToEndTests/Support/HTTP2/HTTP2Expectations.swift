import Testing

extension HTTP2Client {
    /// Expects the gateway to end the connection with a GOAWAY of one of the codes (RFC 9113 section 5.4.1).
    func expectConnectionError(
        _ codes: HTTP2ErrorCode...,
        comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        while try await event(on: 0) != nil {}
        let code = lastGoAway?.code
        #expect(code.map(codes.contains) == true, "\(shown(code)) \(comment)", sourceLocation: sourceLocation)
    }

    /// Expects a stream error of one of the codes (RFC 9113 section 5.4.2), which an endpoint may make a connection
    /// error of the same code.
    func expectStreamError(
        _ codes: HTTP2ErrorCode...,
        on stream: Int,
        comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await outcome(of: stream)
        let code: HTTP2ErrorCode? =
            switch outcome {
            case .reset(let code): code
            case .ended(let code): code
            case .response: nil
            }
        #expect(code.map(codes.contains) == true, "\(shown(outcome)) \(comment)", sourceLocation: sourceLocation)
    }

    /// Expects a malformed request to be refused (RFC 9113 section 8.1.1): a stream error PROTOCOL_ERROR or a 400, and
    /// the connection to live on.
    func expectMalformed(
        on stream: Int,
        comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await outcome(of: stream)
        switch outcome {
        case .response(let response):
            #expect(response.status == 400, "\(comment)", sourceLocation: sourceLocation)
        case .reset(let code):
            #expect(code == .protocolError, "\(comment)", sourceLocation: sourceLocation)
        case .ended:
            Issue.record("\(shown(outcome)) \(comment)", sourceLocation: sourceLocation)
            return
        }
        try await expectAlive(comment: comment, sourceLocation: sourceLocation)
    }

    /// Expects a response to another request on this connection.
    func expectAlive(comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let outcome = try await outcome(of: try await open("/open/canary"))
        guard case .response(let response) = outcome, response.status == 200 else {
            Issue.record("no more answers: \(shown(outcome)) \(comment)", sourceLocation: sourceLocation)
            return
        }
    }

    private func shown(_ code: HTTP2ErrorCode?) -> String {
        code.map { "GOAWAY \($0)" } ?? "no GOAWAY"
    }

    private func shown(_ outcome: HTTP2Outcome) -> String {
        switch outcome {
        case .response(let response): "answered \(response.status)"
        case .reset(let code): "RST_STREAM \(code)"
        case .ended(let code): "closed, \(shown(code))"
        }
    }
}

extension RecordingBackend {
    /// Whole requests so far, but for the canaries of ``HTTP2Client/expectAlive(comment:sourceLocation:)``.
    var requestsButCanaries: [RecordedRequest] { requests.filter { $0.target != "/open/canary" } }
}
