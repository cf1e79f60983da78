import HTTPTypes
import HummingbirdTesting
import Logging
import Tenants
import Testing
import Verification

@testable import Demo

struct ProviderStandInTests {
    private func standIn() throws -> ProviderStandIn {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        return ProviderStandIn(keys: try StandInUnderTest.keys.get(), logger: logger, now: { noon })
    }

    @Test func startsOnFreePortAndFreesIt() async throws {
        let first = try standIn()
        try await first.start()
        let port = try #require(Int(first.url.split(separator: ":").last ?? ""))
        #expect(port != 0)
        let second = try standIn()
        await #expect(throws: (any Error).self) { try await second.start(port: port) }
        await first.shutdown()
        let third = try standIn()
        try await third.start(port: port)
        #expect(third.url == first.url)
        await third.shutdown()
    }

    @Test func tenantIsPointedToStandIn() throws {
        let standIn = try standIn()
        var apple = try StandInUnderTest.tenant("clans.localtest", apple: true)
        var google = try StandInUnderTest.tenant("chat.localtest", apple: false)
        standIn.apply(to: &apple)
        standIn.apply(to: &google)
        let forApple = try #require(apple.signIn?.apple)
        let forGoogle = try #require(google.signIn?.google)
        var urls = [
            forApple.issuer, forApple.authorizeURL, forApple.tokenURL, forGoogle.userInfoURL, forGoogle.tokenInfoURL,
            forGoogle.authorizeURL, forGoogle.tokenURL,
        ]
        for keys in [forApple.keys, forGoogle.keys] {
            guard case .keySet(let url) = keys.location else { Issue.record("no key set"); continue }
            urls.append(url)
        }
        for url in urls { #expect(url.hasPrefix(standIn.url), "\(url)") }
        #expect(forGoogle.issuers.first == standIn.googleIssuer)
        #expect(forApple.keys.lifetime == AppleSignIn.defaultKeys.lifetime)
        #expect(forApple.web?.privateKey == Secret(standIn.appleP8))
        var without = apple
        without.signIn = nil
        standIn.apply(to: &without)
        #expect(without.signIn == nil)
    }

    @Test func failuresAndCallsArePerEndpoint() async throws {
        try await StandInUnderTest.run { stand in
            stand.standIn.fail(.status(503), for: .appleKeys)
            #expect(try await stand.get("/apple/auth/keys").status == .serviceUnavailable)
            #expect(try await stand.get("/google/certs").status == .ok)
            stand.standIn.fail(.garbage, for: .appleKeys)
            let garbage = try await stand.get("/apple/auth/keys")
            #expect(garbage.status == .ok)
            #expect(throws: JSONParsingError.self) { try JSONParser.parse(Array(garbage.body.readableBytesView)) }
            stand.standIn.fail(.slow(seconds: 0), for: .appleKeys)
            #expect(try await stand.get("/apple/auth/keys").status == .ok)
            stand.standIn.fail(nil, for: .appleKeys)
            #expect(try await stand.get("/apple/auth/keys").status == .ok)
            #expect(stand.standIn.calls(.appleKeys) == 4)
            #expect(stand.standIn.calls(.googleKeys) == 1)
            #expect(stand.standIn.calls(.userInfo) == 0)
        }
    }

    @Test func stoppedEndpointClosesConnection() async throws {
        try await StandInUnderTest.run(onSocket: true) { stand in
            let up = try await stand.get("/apple/auth/keys")
            #expect(up.status == .ok)
            stand.standIn.fail(.down, for: .appleKeys)
            await #expect(throws: (any Error).self) { try await stand.get("/apple/auth/keys") }
            #expect(stand.standIn.calls(.appleKeys) == 2)
        }
    }

    @Test func rotationReplacesKeysUnlessKept() async throws {
        try await StandInUnderTest.run { stand in
            func keySet() async throws -> KeySet {
                try KeySet(jwks: Array(try await stand.get("/apple/auth/keys").body.readableBytesView))
            }
            func isGood(_ token: String) async throws -> Bool {
                let policy = IssuerPolicy(
                    issuer: stand.standIn.appleIssuer,
                    algorithms: [.rs256],
                    keys: try await keySet()
                )
                return (try? TokenVerifier(VerificationPolicy(issuers: [policy])).verify(Array(token.utf8), at: noon))
                    != nil
            }
            let old = try stand.standIn.appleIdentityToken(subject: "s", audience: "a")
            let forged = try stand.standIn.appleIdentityToken(subject: "s", audience: "a", isForged: true)
            #expect(try await isGood(old))
            #expect(try await !isGood(forged))
            try stand.standIn.rotateKeys(keepingOld: true)
            #expect(try await isGood(old))
            #expect(try await isGood(try stand.standIn.appleIdentityToken(subject: "s", audience: "a")))
            try stand.standIn.rotateKeys()
            #expect(try await !isGood(old))
            #expect(try await isGood(try stand.standIn.appleIdentityToken(subject: "s", audience: "a")))
        }
    }
}
