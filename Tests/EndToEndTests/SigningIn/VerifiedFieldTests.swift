import Demo
import Testing
import Verification

/// `then: forward`: verified fields for the backend, and no bypass of the check.
@Suite struct VerifiedFieldTests {
    private static let path = "/api/auth/apple"
    private static let spoofed = [
        "X-Verified-Subject: spoofed", "x-verified-subject: spoofed", "X_Verified_Subject: spoofed",
        "X-VERIFIED_EMAIL: spoofed@evil.example", "x_verified-email: spoofed@evil.example",
        "X-Verified-Provider: spoofed", "X_VERIFIED_PROVIDER: spoofed",
    ]
    private static let named = "Connection: x-verified-subject, X-Verified-Email, keep-alive"

    private func verifiedFields(_ request: RecordedRequest) -> [String] {
        request.fields.lines
            .filter { $0.name.lowercased().replacing("_", with: "-").hasPrefix("x-verified-") }
            .map { "\($0.name.lowercased()): \($0.value)" }
            .sorted()
    }

    @Test func clientsVerifiedFieldsAreRemoved() async throws {
        try await withApps(.customer, .finance, .chat, .clans) { fixture, _ async throws in
            let customer = try fixture.token([
                "iss": "https://api.umuve.example", "aud": "umuve-customer", "role": "customer",
                "exp": TestIssuer.fromNow(7 * 86_400),
            ])
            let finance = try fixture.token(["iss": "finance-api", "aud": .null])
            let visits: [(app: AppClient, path: String, token: String?)] = [
                (fixture.app(.customer), "/health", nil), (fixture.app(.customer), "/api/auth/else", nil),
                (fixture.app(.customer), "/api/jobs", customer), (fixture.app(.finance), "/me", finance),
                (fixture.app(.finance), "/auth/login", nil), (fixture.app(.chat), "/api/auth/else", nil),
                (AppClient(host: "app.test") { try await fixture.send($0, method: $1) }, "/open/x", nil),
            ]
            for (app, path, token) in visits {
                let count = fixture.backend.requests.count
                let response = try await app.get(path, token: token, fields: Self.spoofed + [Self.named])
                #expect(response.status == 200, "\(app.host)\(path)")
                #expect(fixture.backend.requests.count == count + 1)
                #expect(fixture.backend.requests.last.map(verifiedFields) == [], "\(app.host)\(path)")
            }
            let trailers =
                "GET /health HTTP/1.1\r\nHost: customer.localtest\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "0\r\nX-Verified-Subject: spoofed\r\nx_verified_email: spoofed\r\n\r\n"
            #expect(try await fixture.send(trailers).status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(verifiedFields(seen) == [])
            #expect(!seen.body.trailers.description.lowercased().contains("verified"))
        }
    }

    @Test func checkedSignInCarriesOnlyGatewayFields() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            let identity = try standIn.appleToken(.anna, for: "com.goumuve.app", nonce: "n")
            var body: JSONObject = ["identity_token": .string(identity), "nonce": "n", "email": "evil@evil.example"]
            let client = fixture.app(.customer)
            #expect(try await client.post(Self.path, json: body).status == 401)
            #expect(fixture.backend.requests.isEmpty)
            body["email"] = "Anna@Example.com"
            let response = try await client.post(Self.path, json: body, fields: Self.spoofed + [Self.named])
            #expect(response.status == 200)
            let expected = [
                "x-verified-email: anna@example.com", "x-verified-provider: apple",
                "x-verified-subject: \(ProviderUser.anna.subject)",
            ]
            #expect(fixture.backend.requests.last.map(verifiedFields) == expected)
            // An unverified address is not forwarded.
            let unverified = try standIn.appleIdentityToken(
                subject: ProviderUser.ben.subject,
                email: ProviderUser.ben.email,
                emailVerified: "false",
                audience: "com.goumuve.app",
                rawNonce: "m"
            )
            let other: JSONObject = ["identity_token": .string(unverified), "nonce": "m"]
            #expect(try await client.post(Self.path, json: other, fields: Self.spoofed).status == 200)
            #expect(
                fixture.backend.requests.last.map(verifiedFields) == [
                    "x-verified-provider: apple", "x-verified-subject: \(ProviderUser.ben.subject)",
                ]
            )
        }
    }

    /// Every spelling that a backend may treat as the sign-in path is checked or refused.
    @Test func everySpellingOfSignInPathIsChecked() async throws {
        try await withApps(.customer) { fixture, _ async throws in
            let client = fixture.app(.customer)
            for path in [
                "/api/auth/apple", "/api/auth//apple", "//api/auth/apple", "/api//auth///apple", "/api/auth/apple/",
                "/api/auth/apple//", "/API/AUTH/APPLE", "/api/auth/Apple", "/Api/auth/apple/", "/api/auth//APPLE/",
                "/api/auth/apple;x", "/api/auth/apple;x=1", "/api/auth/apple;", "/api/auth/apple;/",
                "/api;v=2/auth/apple", "/api/auth;a;b/apple;c/", "/api/auth/;x/apple", "/api/auth/APPLE;x",
                "/api/auth/apple%3Bx", "/api/auth/%61pple", "/api/auth/x/../apple", "/api/auth/./apple",
                "/api/auth/apple/.", "/api/auth/apple/x/..", "/api/auth/apple?x=1", "/api/auth%2Fapple",
                "/api/auth/apple%2F", "/api\\auth\\apple", "/api/auth/apple%00",
                "http://customer.localtest/api/auth/apple",
            ] {
                let response = try await client.post(path, json: ["userIdentifier": "000111.aa"])
                #expect([400, 401].contains(response.status), "\(path): \(response.status)")
            }
            #expect(fixture.backend.requests.map(\.target) == [])
        }
    }

    @Test func checkedSignInKeepsPathSpelling() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            for (turn, path) in ["/api/auth/apple/", "/API/auth/apple", "/api/auth//apple"].enumerated() {
                let identity = try standIn.appleToken(.anna, for: "com.goumuve.app", nonce: "\(turn)")
                let body: JSONObject = ["identity_token": .string(identity), "nonce": .string("\(turn)")]
                _ = try await fixture.app(.customer).post(path, json: body)
                let seen = try #require(fixture.backend.requests.last)
                #expect(seen.fields["X-Verified-Subject"] == [ProviderUser.anna.subject], "\(path)")
                #expect(seen.body.text == JSONWriter.text(of: .object(body)))
            }
            #expect(fixture.backend.requests.count == 3)
        }
    }

    /// A backend that ignores methods would otherwise sign in unchecked.
    @Test func otherMethodsDoNotBypassSignInCheck() async throws {
        try await withApps(.customer) { fixture, _ async throws in
            for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "post", "PROPFIND"] {
                let response = try await fixture.app(.customer).request(
                    method,
                    Self.path,
                    fields: ["X-HTTP-Method-Override: POST"],
                    body: method == "HEAD" ? nil : "{}"
                )
                #expect(response.status == 405, "\(method)")
                #expect(response.fields["Allow"] == ["POST"], "\(method)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// A body that a backend might parse differently is not forwarded.
    @Test func ambiguousBodyIsRefused() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            let client = fixture.app(.customer)
            let token = try standIn.appleToken(.anna, for: "com.goumuve.app", nonce: "n")
            let bodies = [
                #"{"identity_token":"\#(token)","identity_token":"x","nonce":"n"}"#,
                #"{"identity_token":"\#(token)","nonce":"n"}{"identity_token":"x"}"#,
                #"[{"identity_token":"\#(token)","nonce":"n"}]"#,
                #"{"identity_token":"\#(token)","id_token":"x","nonce":"n"}"#,
                #"{"identity_token":["\#(token)"],"nonce":"n"}"#,
                "identity_token=\(token)&nonce=n", "", "null", "\u{FEFF}{}",
            ]
            for body in bodies {
                let response = try await client.request(
                    "POST",
                    Self.path,
                    fields: ["Content-Type: application/json"],
                    body: body
                )
                expectRefusal(response, 400, "bad_request", body.replacing(token, with: "TOKEN"))
            }
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
                let good = #"{"identity_token":"\#(token)","nonce":"n"}"#
                let fields = ["Content-Type: \(type)"]
                let response = try await client.request("POST", Self.path, fields: fields, body: good)
                expectRefusal(response, 400, "bad_request", type)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// A backend that reads fields as environment variables treats `_` as `-`.
    @Test func aliasOfBodyFieldIsRefused() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            let client = fixture.app(.customer)
            let token = try standIn.appleToken(.anna, for: "com.goumuve.app", nonce: "n")
            let good = #"{"identity_token":"\#(token)","nonce":"n"}"#
            for line in [
                "Content_Type: application/x-www-form-urlencoded", "content_type: multipart/form-data; boundary=x",
                "CONTENT.TYPE: text/plain", "Content_Encoding: gzip", "X_HTTP_Method_Override: PUT",
            ] {
                let alone = try await client.request("POST", Self.path, fields: [line], body: good)
                expectRefusal(alone, 400, "bad_request", line)
                let fields = ["Content-Type: application/json", line]
                let beside = try await client.request("POST", Self.path, fields: fields, body: good)
                expectRefusal(beside, 400, "bad_request", line)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
