import Demo
import Foundation
import Gateway
import Logging
import Tenants
import TestSupport
import Time
import Verification

/// A running gateway that is an OpenID provider, below its issuer's URL as a provider in production, with the stand-in
/// for Apple, which can be told to ask who it is, and a Python program that is its relying party.
///
/// The program prints a line of JSON first: `port`, where its backend and account hook are, and `app`, below which are
/// `/callback` and `/signed-out` of all clients. It is sent a line: where the provider is, and its clients.
final class ProviderFixture: Sendable {
    private static let providerKeys = Result { try ProviderKeys.generate() }
    private static let secret = "a-secret-of-a-relying-party-in-these-tests-0123456789"

    private let gateway: Gateway
    /// The line for the program.
    private let line: JSONObject

    private init(
        _ program: RunningProgram,
        _ provider: ProviderStandIn,
        _ certificates: CertificateFolder,
        accessTokens: String
    ) async throws {
        let place = try jsonLine(try await program.line())
        guard let backend = place["port"]?.double.map({ Int($0) }), let app = place["app"]?.string else {
            throw Program.Failure("no port or app: \(place)")
        }
        let port = try await FreePort.find()
        let site = ProviderSite(
            port: port,
            backend: backend,
            app: app,
            accessTokens: accessTokens,
            certificates: certificates,
            keys: certificates.file("keys.json")
        )
        try provider.appleP8.write(toFile: certificates.file("apple.p8"), atomically: true, encoding: .utf8)
        let keys = JSONWriter.text(of: place["keys"] ?? ["keys": []])
        try keys.write(toFile: site.keys, atomically: true, encoding: .utf8)
        let known = site.knownOptions(secret: Self.secret)
        var configuration = try site.configuration(known, secret: Self.secret)
        for index in configuration.tenants.indices { provider.apply(to: &configuration.tenants[index]) }
        gateway = Gateway(
            configuration: configuration,
            logger: Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard,
            sealingKeys: Secret(Data(repeating: 7, count: 32).base64EncodedString())
        )
        _ = try await gateway.start()
        line = [
            "issuer": .string(site.issuer), "ca": .string(certificates.file("authority.pem")), "provider": "Apple",
            "pkce": .bool(!known.contains(.optionalPKCE)),
            "clients": .object(site.clients(known, secret: Self.secret)),
        ]
    }

    /// Runs a program as the relying party, to its last line.
    ///
    /// - Parameters:
    ///   - script: Its name, without `.py`.
    ///   - accessTokens: How long they are valid.
    ///   - seconds: After which it is ended.
    static func run(_ script: String, accessTokens: String = "1h", seconds: Int = 60) async throws -> JSONObject {
        let certificates = try CertificateFolder()
        try certificates.makeAuthority("authority")
        try certificates.makeServer("provider", for: "localhost")
        let provider = ProviderStandIn(
            keys: try providerKeys.get(),
            logger: Logger(label: "stand-in") { _ in SwiftLogNoOpLogHandler() }
        ) {
            UnixTime(Date().timeIntervalSince1970)
        }
        let python = try await TestEnvironment.python()
        let program = try python.start([Program.script(script)], seconds: seconds)
        var result = JSONObject()
        try await attempt {
            try await provider.start()
            let fixture = try await ProviderFixture(
                program,
                provider,
                certificates,
                accessTokens: accessTokens
            )
            try await attempt {
                try program.write(JSONWriter.text(of: .object(fixture.line)) + "\n")
                result = try jsonLine(try await program.line())
            } finally: {
                await fixture.gateway.shutdown()
            }
        } finally: {
            await provider.shutdown()
            await program.stop()
        }
        return result
    }
}
