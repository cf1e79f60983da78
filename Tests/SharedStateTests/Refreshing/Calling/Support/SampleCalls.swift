import Testing
import Time
import Verification

@testable import SharedState
@testable import Tenants

/// Rules, sessions and tokens of no tenant in particular.
enum SampleCalls {
    static let now = UnixTime(2_000_000_000)
    private static let secret = Array("a secret of the tests, 32 bytes!".utf8)

    static func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

    /// - Parameters:
    ///   - accessToken: Where it is in the response; likewise the others.
    ///   - cookies: Names, and where their values are.
    static func rules(
        _ strategy: RefreshCall.Strategy = .refreshTokenJSON,
        method: String = "POST",
        to target: RefreshCall.Target? = .backend(path: "/refresh"),
        accessToken: String = "/access_token",
        refreshToken: String? = "/refresh_token",
        cookies: [(name: String, value: String)] = []
    ) throws -> RefreshRules {
        RefreshRules(
            call: RefreshCall(
                strategy: strategy,
                method: method,
                target: target,
                accessToken: try pointer(accessToken),
                refreshToken: try refreshToken.map(pointer)
            ),
            delivery: RefreshDelivery(
                cookies: try cookies.map { RefreshDelivery.Cookie(name: $0.name, value: try pointer($0.value)) }
            )
        )
    }

    static func token(_ claims: JSONObject) throws -> String {
        try TokenSigner(SigningKey(secret: secret), algorithm: .hs256).sign(claims)
    }

    /// A session whose access token is valid at ``now``.
    static func credential(refreshToken: String? = "old-refresh") throws -> RefreshCredential {
        try credential(refreshTokenBytes: refreshToken.map { Array($0.utf8) })
    }

    static func credential(refreshTokenBytes: [UInt8]?) throws -> RefreshCredential {
        let keys = try KeySet(secret: secret, algorithms: [.hs256])
        let issuer = IssuerPolicy(issuer: "https://id.test", algorithms: [.hs256], keys: keys)
        let expiry = JSONValue.number(JSONNumber(Int(now.seconds) + 600))
        let token = Array(try token(["iss": "https://id.test", "sub": "ada", "exp": expiry]).utf8)
        return RefreshCredential(
            accessToken: token,
            principal: try TokenVerifier(VerificationPolicy(issuers: [issuer])).verify(token.span, at: now),
            refreshToken: refreshTokenBytes,
            host: Array("app.test".utf8)
        )
    }
}

extension RefreshHTTPRequest {
    /// The request as its transport gets it, for comparing.
    var text: String {
        let lines = ["\(method) \(target)"] + fields.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))" }
        return lines.joined(separator: "\n") + "\n\n" + String(decoding: body, as: UTF8.self)
    }
}

extension RefreshCallResult {
    var tokens: ReceivedTokens? {
        if case .tokens(let tokens) = self { tokens } else { nil }
    }

    /// A short text for a result without tokens.
    var trouble: RefreshFailure? {
        switch self {
        case .tokens: nil
        case .refused: .refused
        case .failed(let trouble): trouble
        }
    }
}
