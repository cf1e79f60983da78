import Foundation
import Testing
import Verification

/// The key of an app and its proofs (RFC 9449 section 4).
struct AppKey: Sendable {
    private let key: SigningKey
    /// `jkt`.
    let thumbprint: String

    init() throws {
        key = try SigningKey.generate(.p256)
        thumbprint = try #require(key.thumbprint)
    }

    /// - Parameters:
    ///   - path: Of the URL that the request is for, without its query.
    ///   - token: The access token of the request.
    func proof(
        _ method: String,
        _ path: String,
        of app: AppClient,
        token: String? = nil,
        nonce: String? = nil
    ) throws -> String {
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string("http://\(app.host)\(path)"),
            "iat": .number(JSONNumber(Int(Date().timeIntervalSince1970))),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(SHA256.digest(Array(token.utf8)))) }
        if let nonce { claims["nonce"] = .string(nonce) }
        let jwk = try #require(key.publicJWK())
        return try TokenSigner(key, algorithm: .es256).sign(claims, header: ["typ": "dpop+jwt", "jwk": .object(jwk)])
    }

    /// The `DPoP` field.
    func field(
        _ method: String,
        _ path: String,
        of app: AppClient,
        token: String? = nil,
        nonce: String? = nil
    ) throws -> String {
        "DPoP: \(try proof(method, path, of: app, token: token, nonce: nonce))"
    }
}

extension AppClient {
    /// Sends a request with a bound token (RFC 9449 section 7.1).
    ///
    /// - Parameter key: The key for the proof; nil: no proof.
    func request(
        _ method: String,
        _ path: String,
        boundToken token: String,
        _ key: AppKey?,
        nonce: String? = nil
    ) async throws -> RawResponse {
        let proof = try key?.field(method, path, of: self, token: token, nonce: nonce)
        let fields = ["Authorization: DPoP \(token)", proof].compactMap(\.self)
        return try await request(method, path, fields: fields, body: method == "POST" ? "" : nil)
    }

    /// Posts a form with a proof.
    func post(_ path: String, form: String, _ key: AppKey?, nonce: String? = nil) async throws -> RawResponse {
        let field = try key?.field("POST", path, of: self, nonce: nonce)
        return try await post(path, form: form, fields: [field].compactMap(\.self))
    }

    /// Posts JSON with a proof.
    func post(_ path: String, json: JSONObject, _ key: AppKey?, nonce: String? = nil) async throws -> RawResponse {
        let field = try key?.field("POST", path, of: self, nonce: nonce)
        return try await post(path, json: json, fields: [field].compactMap(\.self))
    }
}

extension GivenTokens {
    /// `jkt` of an access token; nil: not bound.
    static func key(of token: String) -> String? { claims(token)?["cnf"]?.object?["jkt"]?.string }
}
