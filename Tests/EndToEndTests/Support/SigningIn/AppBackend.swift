import Demo
import Foundation
import Logging
import Tenants
import TestSupport
import Testing
import Time
import Verification

/// Runs `test` with a gateway for these apps, in front of ``AppBackend/script``, and with the stand-in.
///
/// - Parameter gateway: As in ``GatewaySetup``.
func withApps(
    _ apps: AppSetup...,
    gateway: String = "",
    backend script: BackendScript = AppBackend.script,
    _ test: (GatewayFixture, ProviderStandIn) async throws -> Void
) async throws {
    let setup = AppSetup.fixture(apps, gateway: gateway)
    try await withStandIn(setup) { standIn, values in
        try await withGateway(setup, backend: script, values: values) { fixture async throws in
            try await test(fixture, standIn)
        }
    }
}

/// Made once for the whole run: RSA takes its time.
private let madeKeys = Result { try ProviderKeys.generate() }

/// Runs `test` with a stand-in that has the clients of the setup registered.
func withStandIn(
    _ setup: GatewaySetup,
    _ test: (_ standIn: ProviderStandIn, _ values: [String: String]) async throws -> Void
) async throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let keys = try madeKeys.get()
    let standIn = ProviderStandIn(keys: keys, logger: LogCapture().logger()) { UnixTime(Date().timeIntervalSince1970) }
    try await standIn.start()
    try await attempt {
        let values = try standIn.values(for: setup, keyFile: try scratch.write(standIn.appleP8, to: "apple.p8"))
        try await test(standIn, values)
    } finally: {
        await standIn.shutdown()
    }
}

extension ProviderStandIn {
    /// The stand-in's values for tenants.yaml. Registers the clients of the setup.
    fileprivate func values(for setup: GatewaySetup, keyFile: String) throws -> [String: String] {
        let values = [
            "apple_issuer": appleIssuer,
            "apple_keys": "\(url)/apple/auth/keys",
            "apple_authorize": "\(url)/apple/auth/authorize",
            "apple_token": "\(url)/apple/auth/token",
            "apple_p8": keyFile,
            "google_issuer": googleIssuer,
            "google_keys": "\(url)/google/certs",
            "google_authorize": "\(url)/google/auth",
            "google_token": "\(url)/google/token",
            "google_userinfo": "\(url)/google/userinfo",
            "google_tokeninfo": "\(url)/google/tokeninfo",
        ]
        let defaults = ["backend": "http://127.0.0.1:1", "jwks": keyFile + ".jwks"]
        try Data(try TestIssuer.shared().jwks.utf8).write(to: URL(fileURLWithPath: keyFile + ".jwks"))
        for tenant in try setup.configuration(values.merging(defaults) { value, _ in value }).tenants {
            var tenant = tenant
            apply(to: &tenant)
        }
        return values
    }

    /// An identity token for this user.
    func appleToken(_ user: ProviderUser, for client: String, nonce: String? = nil) throws -> String {
        try appleIdentityToken(
            subject: user.subject,
            email: user.email,
            emailVerified: user.emailVerified,
            isPrivate: user.isPrivateEmail ? "true" : nil,
            audience: client,
            rawNonce: nonce
        )
    }

    func googleToken(_ user: ProviderUser, for client: String) throws -> String {
        try googleIDToken(subject: user.subject, email: user.email, name: user.name, audience: client)
    }
}

extension ProviderUser {
    static let anna = ProviderUser(subject: "000111.aa", email: "anna@example.com", givenName: "Anna")
    static let ben = ProviderUser(subject: "000222.bb", email: "ben@example.com", givenName: "Ben")
    /// The same person at Google, by the e-mail.
    static let annaAtGoogle = ProviderUser(subject: "1001", email: "anna@example.com", givenName: "Anna")
}

/// The sign-in endpoints of the sample apps' backends.
enum AppBackend {
    static let script = BackendScript { exchange in
        let body = try await exchange.body().bytes
        let host = exchange.head.fields["X-Forwarded-Host"].first ?? ""
        switch (exchange.head.method, exchange.head.path) {
        case ("POST", "/api/auth/apple"): try await signIn(exchange, at: host)
        case ("POST", "/auth/login"): try await logIn(exchange, body)
        case ("HEAD", _): try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        default: try await exchange.sendOK()
        }
    }

    /// Customer and driver: issues the app's own token for the verified subject.
    private static func signIn(_ exchange: Exchange, at host: String) async throws {
        guard let subject = exchange.head.fields["X-Verified-Subject"].first else {
            return try await exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        let app = host.prefix { $0 != "." }
        let token = try TestIssuer.shared().token([
            "iss": "https://api.umuve.example", "aud": .string("umuve-\(app)"), "role": .string("\(app)"),
            "sub": .string("user-\(subject)"), "jti": .string("umuve-\(app)-\(subject)"),
            "exp": TestIssuer.fromNow(7 * 86_400),
        ])
        try await exchange.sendOK(JSONWriter.text(of: ["token": .string(token)]))
    }

    /// Finance: a cookie.
    private static func logIn(_ exchange: Exchange, _ body: [UInt8]) async throws {
        guard let email = (try? JSONParser.parse(body))?.object?["email"]?.string else {
            return try await exchange.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let token = try TestIssuer.shared().token([
            "iss": "finance-api", "aud": .null, "sub": .string(email), "jti": .string("finance-\(email)"),
        ])
        let cookie = "Set-Cookie: auth-token=\(token); Path=/; HttpOnly; Secure; SameSite=Lax\r\n"
        try await exchange.sendOK(#"{"success":true}"#, fields: cookie)
    }
}
