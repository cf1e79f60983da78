import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import Time
import Verification

@testable import Demo

/// Noon of a day in 2026, the clock of these tests, in Unix seconds.
let noon = UnixTime(1_770_000_000)

/// One sample app with its routes, without sockets.
struct AppUnderTest {
    let client: any TestClientProtocol

    static func run(
        _ app: some SampleApp,
        _ body: @escaping @Sendable (AppUnderTest) async throws -> Void
    ) async throws {
        try await Application(router: app.makeRouter()).test(.router) { client in
            try await body(AppUnderTest(client: client))
        }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        token: String? = nil,
        identity: String? = nil,
        cookie: String? = nil,
        fields: [String: String] = [:],
        json: JSONObject? = nil
    ) async throws -> AppResponse {
        var headers = HTTPFields()
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        headers[.authorization] = token.map { "Bearer \($0)" }
        headers[.cookie] = cookie
        if let name = HTTPField.Name("X-User-Id") { headers[name] = identity }
        let body = json.map { ByteBuffer(bytes: JSONWriter.bytes(of: $0)) }
        return try await client.execute(uri: path, method: method, headers: headers, body: body) { response in
            AppResponse(
                status: response.status.code,
                cookies: response.headers[values: .setCookie],
                json: (try? JSONParser.parse(Array(response.body.readableBytesView)).object) ?? JSONObject()
            )
        }
    }

    /// Sends a request and expects its response to have this status.
    func expect(
        _ status: Int,
        _ method: HTTPRequest.Method,
        _ path: String,
        token: String? = nil,
        identity: String? = nil,
        cookie: String? = nil,
        json: JSONObject? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await send(method, path, token: token, identity: identity, cookie: cookie, json: json)
        #expect(response.status == status, sourceLocation: sourceLocation)
    }
}

struct AppResponse: Sendable {
    let status: Int
    let cookies: [String]
    let json: JSONObject

    func text(_ name: String) throws -> String {
        try #require(json[name]?.string)
    }
}

extension JSONObject {
    static func signIn(role: String? = nil, password: String = "demo") -> JSONObject {
        var body: JSONObject = ["email": "alice@shop.example", "password": .string(password)]
        body["role"] = role.map(JSONValue.string)
        return body
    }
}

/// An access token as the gateway's own issuer gives it to alice, for an hour from noon.
enum GatewayToken {
    static func make(
        _ key: SigningKey,
        _ algorithm: SignatureAlgorithm,
        issuer: String,
        audience: String,
        id: String = "one",
        type: String = "at+jwt"
    ) throws -> String {
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(audience), "sub": "user-alice", "sid": "session", "jti": .string(id),
            "iat": .number(JSONNumber(Int(noon.seconds))), "exp": .number(JSONNumber(Int(noon.seconds) + 3600)),
        ]
        return try TokenSigner(key, algorithm: algorithm, keyID: key.thumbprint)
            .sign(claims, header: ["typ": .string(type)])
    }
}
