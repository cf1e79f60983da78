import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// A client of an issuer that may send proofs.
struct ProvingApp {
    static let tokenPath = "/id/oauth2/token"

    let fixture: IssuerFixture
    var client: IssuerClient = .mobile
    /// Nil to send no proof.
    var key: ProofKey?
    /// Of its connection.
    var certificate: [UInt8]?
    var nonce: String?

    /// The URL that it asks for.
    func url(_ path: String) -> String { "https://\(fixture.tenant.name).example\(path)" }

    /// Posts a form to the token endpoint.
    ///
    /// - Parameter proofs: Nil for a valid one.
    func ask(
        _ form: Parameters,
        proofs: [String]? = nil,
        at now: UnixTime = IssuerFixture.start
    ) async throws -> EndpointResponse {
        let own = try key.map {
            [try $0.proof("POST", url(Self.tokenPath), nonce: nonce, at: now)]
        }
        return try await send(.token, "POST", Self.tokenPath, form: form, proofs: proofs ?? own ?? [], at: now).response
    }

    func send(
        _ endpoint: Endpoint,
        _ method: String,
        _ path: String,
        form: Parameters? = nil,
        json: JSONObject? = nil,
        authorization: String? = nil,
        presented: PresentedToken? = nil,
        cookies: [String] = [],
        proofs: [String] = [],
        at now: UnixTime = IssuerFixture.start
    ) async -> EndpointResult {
        let type = form != nil ? "application/x-www-form-urlencoded" : json != nil ? "application/json" : nil
        let body = form.map { Array(FormText.text(of: $0).utf8) } ?? json.map { JSONWriter.bytes(of: $0) }
        return await fixture.service.respond(
            to:
                EndpointRequest(
                    endpoint: endpoint,
                    method: method,
                    path: path,
                    authority: "\(fixture.tenant.name).example",
                    fields: EndpointRequest.Fields(
                        contentType: type,
                        authorization: authorization,
                        cookies: cookies,
                        proofs: proofs
                    ),
                    presentedToken: presented,
                    body: body ?? [],
                    clientCertificateThumbprint: certificate,
                    now: now
                )
        )
    }

    func signIn(boundTo thumbprint: [UInt8]? = nil, at now: UnixTime = IssuerFixture.start) async throws
        -> TokenResponse
    {
        let code = try await fixture.code(for: client, boundTo: thumbprint, at: now)
        return try TokenResponse(try await ask(fixture.redemption(code, client), at: now))
    }

    func refresh(_ token: String, at now: UnixTime = IssuerFixture.start) async throws -> EndpointResponse {
        try await ask([("grant_type", "refresh_token"), ("refresh_token", token)] + client.credentials, at: now)
    }

    /// Uses an access token at an endpoint.
    ///
    /// - Parameters:
    ///   - scheme: In the Authorization field.
    ///   - proof: Nil for a valid one.
    func use(
        _ token: String,
        at endpoint: Endpoint = .userInfo,
        _ method: String = "GET",
        form: Parameters? = nil,
        scheme: String = "DPoP",
        proof: String? = nil,
        at now: UnixTime = IssuerFixture.start
    ) async throws -> EndpointResult {
        let path = "/id/\(endpoint.rawValue)"
        let own = try key.map { try $0.proof(method, url(path), token: token, nonce: nonce, at: now) }
        return await send(
            endpoint,
            method,
            path,
            form: form,
            authorization: "\(scheme) \(token)",
            presented: PresentedToken(token: token),
            proofs: [proof ?? own].compactMap(\.self),
            at: now
        )
    }
}

extension IssuerFixture {
    /// An issuer with DPoP.
    static func proving(
        _ rules: ProofRules = ProofRules(need: .optional),
        clients: [IssuerClient] = [.mobile, .board, .service, .tablet],
        store: WatchedStore = WatchedStore()
    ) throws -> IssuerFixture {
        try IssuerFixture("clans", store, issuer: .clans(clients: clients), proof: rules)
    }

    /// All of the tenant's endpoints.
    var service: EndpointService {
        EndpointService(context, realmSessions: [sessions], counts: SignInCounts())
    }
}

extension TokenResponse {
    /// `jkt` of the access token; nil: it is bound to no key.
    var keyName: String? { claims["cnf"]?.object?["jkt"]?.string }

    var type: String? { body["token_type"]?.string }
}

extension EndpointResult {
    /// Status, code and DPoP error.
    var outcome: String {
        switch self {
        case .response(let response): response.outcome
        case .refused(let refusal):
            "\(refusal.status) \(refusal.code.rawValue) \(refusal.fields.proofError ?? "-")"
        case .forward: "forwarded"
        }
    }
}

extension [EndpointResponse.Field] {
    /// `error` of the DPoP challenge; nil where there is none.
    var proofError: String? {
        guard let challenge = first(where: { $0.name == "WWW-Authenticate" && $0.value.hasPrefix("DPoP ") }) else {
            return nil
        }
        guard let start = challenge.value.firstRange(of: "error=\"") else { return "-" }
        return String(challenge.value[start.upperBound...].prefix { $0 != "\"" })
    }
}
