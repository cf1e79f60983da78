public import OutgoingHTTP
public import Tenants
public import Verification

/// Why nothing is known of a token; the log's word for it.
public enum IntrospectionFailure: String, Error, CaseIterable {
    /// No connection to the server, or it broke.
    case network
    /// The server did not answer in time.
    case timeout
    /// The server does not know the gateway, or not by this secret (401).
    case clientRefused = "client_refused"
    /// The server refuses to describe this token to the gateway, or a firewall blocks the request (403).
    case forbidden
    /// The server asks to be left alone (429 and 503).
    case serverFailed = "server_failed"
    /// A proxy before the server got no answer from it (502 and 504).
    case proxyFailed = "proxy_failed"
    /// Another answer than 200 (RFC 7662 section 2.2): a redirect among them, which is not followed.
    case unexpectedStatus = "unexpected_status"
    /// The response is too long, or does not say whether the token is active.
    case garbledAnswer = "garbled_answer"

    /// Whom it concerns.
    enum Reach {
        case everyToken
        /// Every token, or this one alone: the server may stumble over it.
        case unclear
        case thisToken
    }

    /// One token must not stop the introspection of all others: a client may have found one that makes the server
    /// fail, and keep sending it.
    var reach: Reach {
        switch self {
        case .clientRefused, .serverFailed: .everyToken
        case .network, .timeout, .proxyFailed: .unclear
        case .forbidden, .unexpectedStatus, .garbledAnswer: .thisToken
        }
    }
}

/// Asks one tenant's server.
public protocol IntrospectionClient: Sendable {
    func ask(about token: [UInt8]) async throws(IntrospectionFailure) -> IntrospectionResponse
}

/// The introspection endpoint of a tenant (RFC 7662 section 2).
public struct IntrospectionServer: IntrospectionClient, Sendable {
    /// For a question, with its second try.
    static let patience = Duration.seconds(5)

    private let rules: Introspection
    private let http: OutgoingHTTP

    public init(_ rules: Introspection, http: OutgoingHTTP) {
        self.rules = rules
        self.http = http
    }

    /// - Parameter token: A `b64token`.
    public func ask(about token: [UInt8]) async throws(IntrospectionFailure) -> IntrospectionResponse {
        // The configuration has no other addresses, so this one cannot be reached.
        guard let url = ProviderURL(rules.url) else { throw .network }
        let response: OutgoingResponse
        do throws(OutgoingHTTPError) {
            response = try await send(request(about: token, to: url))
        } catch {
            switch error.kind {
            case .timeLimit, .noFreeConnection: throw .timeout
            case .notHTTP, .bodyTooLong: throw .garbledAnswer
            case .connectTimeout, .unknownHost, .system, .client, .other: throw .network
            }
        }
        switch response.status {
        case 200: break
        case 401: throw .clientRefused
        case 403: throw .forbidden
        case 429, 503: throw .serverFailed
        case 502, 504: throw .proxyFailed
        default: throw .unexpectedStatus
        }
        guard let answer = IntrospectionResponse(response.body) else { throw .garbledAnswer }
        return answer
    }

    /// Once more where the connection fails: the server may just have closed one that was kept.
    private func send(_ request: OutgoingRequest) async throws(OutgoingHTTPError) -> OutgoingResponse {
        let end = ContinuousClock.now + Self.patience
        do throws(OutgoingHTTPError) {
            return try await send(request, within: Self.patience)
        } catch {
            let left = end - .now
            switch error.kind {
            case .connectTimeout, .unknownHost, .system, .client, .other: break
            case .timeLimit, .noFreeConnection, .notHTTP, .bodyTooLong: throw error
            }
            guard left > .zero else { throw error }
            return try await send(request, within: left)
        }
    }

    /// Only a 200 has a body that matters: a failure counts even if its body never ends.
    private func send(
        _ request: OutgoingRequest,
        within limit: Duration
    ) async throws(OutgoingHTTPError) -> OutgoingResponse {
        try await http.send(request, within: limit, mostBytes: RefreshHTTPResponse.mostBytes) { $0 == 200 }
    }

    private func request(about token: [UInt8], to url: ProviderURL) -> OutgoingRequest {
        let authorization = RefreshRequestForm.basic(Array(rules.clientID.utf8), rules.clientSecret.bytes)
        return OutgoingRequest(
            method: "POST",
            url: url.text,
            origin: url.origin,
            fields: [
                ("Accept", "application/json"),
                ("Authorization", String(decoding: authorization, as: UTF8.self)),
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("User-Agent", "gatehouse"),
            ],
            body: FormText.bytes(of: [("token", token), ("token_type_hint", Array("access_token".utf8))])
        )
    }
}
