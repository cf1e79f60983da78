import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

typealias Parameters = [(name: String, value: String)]

extension IssuerFixture {
    func ask(_ request: EndpointRequest) async throws -> EndpointResponse {
        guard case .response(let response) = await endpoints.respond(to: request) else {
            throw UnexpectedResponse(what: "no answer of the gateway's own")
        }
        return response
    }

    func get(
        _ endpoint: Endpoint,
        _ query: Parameters = [],
        authorization: String? = nil,
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        try await ask(
            EndpointRequest(
                endpoint: endpoint,
                method: "GET",
                query: query.isEmpty ? nil : FormText.text(of: query),
                authority: "\(tenant.name).example",
                fields: EndpointRequest.Fields(authorization: authorization),
                now: now
            )
        )
    }

    func post(
        _ endpoint: Endpoint,
        _ form: Parameters,
        authorization: String? = nil,
        host: String? = nil,
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        try await post(endpoint, text: FormText.text(of: form), authorization: authorization, host: host, at: now)
    }

    func post(
        _ endpoint: Endpoint,
        text: String,
        contentType: String? = "application/x-www-form-urlencoded",
        authorization: String? = nil,
        host: String? = nil,
        from address: [UInt8] = [192, 0, 2, 1],
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        try await ask(
            EndpointRequest(
                endpoint: endpoint,
                method: "POST",
                authority: host ?? "\(tenant.name).example",
                fields: EndpointRequest.Fields(contentType: contentType, authorization: authorization),
                body: Array(text.utf8),
                clientAddress: address,
                now: now
            )
        )
    }

    /// A code as issued by the sign-in page.
    func code(
        for client: IssuerClient = .mobile,
        scopes: [String] = ["openid", "email"],
        nonce: String? = nil,
        subject: String = "alice",
        boundTo thumbprint: [UInt8]? = nil,
        at now: UnixTime = start
    ) async throws -> String {
        try await codes.issue(
            CodeGrant(
                clientID: client.id,
                redirectURI: try #require(client.redirectURIs.first),
                codeChallenge: Self.challenge,
                scopes: scopes,
                nonce: nonce,
                subject: subject,
                provider: "apple",
                issuedAt: now,
                keyThumbprint: thumbprint
            ),
            at: now
        )
    }

    /// A client's token request for a code.
    func redemption(_ code: String, _ client: IssuerClient = .mobile) -> Parameters {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.redirectURIs.first ?? ""),
            ("code_verifier", Self.verifier),
        ] + client.credentials
    }

    /// The tokens of a new sign-in.
    func tokens(
        for client: IssuerClient = .mobile,
        scopes: [String] = ["openid", "email"],
        nonce: String? = nil,
        subject: String = "alice",
        at now: UnixTime = start
    ) async throws -> TokenResponse {
        let code = try await code(for: client, scopes: scopes, nonce: nonce, subject: subject, at: now)
        return try TokenResponse(await post(.token, redemption(code, client), at: now))
    }

    /// Whether introspection reports the token as active.
    func isActive(_ token: String, at now: UnixTime = start) async throws -> Bool {
        let answer = try await post(.introspect, [("token", token)] + IssuerClient.board.credentials, at: now)
        guard let isActive = try answer.object["active"]?.bool else { throw UnexpectedResponse(what: answer.outcome) }
        return isActive
    }
}

extension IssuerClient {
    /// In a form.
    var credentials: Parameters {
        guard let secret else { return [("client_id", id)] }
        return [("client_id", id), ("client_secret", String(decoding: secret.bytes, as: UTF8.self))]
    }

    /// In a field, by RFC 6749 section 2.3.1.
    var basic: String {
        Self.basic(FormText.encoded(id), FormText.encoded(String(decoding: secret?.bytes ?? [], as: UTF8.self)))
    }

    static func basic(_ user: String, _ password: String) -> String {
        let text = Base64URL.encode(Array("\(user):\(password)".utf8))
        let plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        return "Basic " + plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
    }
}

/// A response of the token endpoint.
struct TokenResponse {
    let body: JSONObject
    let access: String
    let refresh: String
    let claims: JSONObject

    init(_ response: EndpointResponse) throws {
        guard response.status == 200 else {
            throw UnexpectedResponse(what: "\(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        body = try response.object
        access = try #require(body["access_token"]?.string)
        refresh = try #require(body["refresh_token"]?.string)
        claims = try Self.claims(of: access)
    }

    var id: String {
        get throws { try #require(body["id_token"]?.string) }
    }

    var sessionID: String {
        get throws { try #require(claims["sid"]?.string) }
    }

    /// Not verified.
    static func claims(of token: String) throws -> JSONObject {
        let parts = token.split(separator: ".").map(String.init)
        let payload = try #require(parts.count == 3 ? Base64URL.decode(parts[1]) : nil)
        return try #require(try JSONParser.parse(payload).object)
    }
}

struct UnexpectedResponse: Error {
    let what: String
}

extension EndpointResponse {
    var object: JSONObject {
        get throws { try #require(try JSONParser.parse(body).object) }
    }

    /// `error` of a JSON response.
    var error: String? { try? JSONParser.parse(body).object?["error"]?.string }

    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Status and error.
    var outcome: String { "\(status) \(error ?? "-")" }
}
