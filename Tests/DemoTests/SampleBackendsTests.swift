import Logging
import TestSupport
import Testing
import Time
import Verification

@testable import Demo

struct SampleBackendsTests {
    @Test func startsOnFreePortsAndFreesThem() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        let ports = try await backends.start(ports: .free)
        #expect(Set(ports.inOrder).count == 4)
        #expect(!ports.inOrder.contains(0))
        await backends.shutdown()

        let again = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        #expect(try await again.start(ports: ports) == ports)
        await again.shutdown()
    }

    @Test func tokensAreForTheirAppAndExpire() throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        for app in [SampleAppName.customer, .driver, .finance] {
            let good = try #require(try backends.accessToken(app, email: "alice@shop.example"))
            let expired = try #require(try backends.accessToken(app, email: "alice@shop.example", expiredFor: 60))
            let claims = try UnverifiedToken(Array(good.utf8)).claims()
            #expect(claims["sub"] == "user-alice")
            #expect(try #require(claims["exp"]?.double) > noon.seconds)
            let past = try UnverifiedToken(Array(expired.utf8)).claims()
            #expect(past["exp"]?.double == noon.seconds - 60)
            #expect(try #require(past["iat"]?.double) < noon.seconds - 60)
        }
        let driver = try #require(try backends.accessToken(.driver, email: "alice@shop.example", role: "customer"))
        let claims = try UnverifiedToken(Array(driver.utf8)).claims()
        #expect(claims["aud"] == "umuve-driver")
        #expect(claims["role"] == "customer")
    }

    @Test func gatewaySignInGetsNoBackendToken() throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        for app in [SampleAppName.chat, .clans] {
            #expect(try backends.accessToken(app, email: "alice@shop.example") == nil)
        }
    }

    @Test func expiredGatewayTokenKeepsSession() throws {
        let keys = try SampleKeys.generate()
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: keys, logger: logger, now: { noon })
        let good = try GatewayToken.make(keys.chatKey, .es256, issuer: "https://chat.localhost", audience: "chat-api")
        let expired = try #require(try backends.expired(good, of: .chat, for: 3600))
        let before = try UnverifiedToken(Array(good.utf8))
        let after = try UnverifiedToken(Array(expired.utf8))
        let (claims, original) = (try after.claims(), try before.claims())
        for name in ["iss", "sub", "aud", "sid"] { #expect(claims[name] == original[name]) }
        #expect(claims["jti"] != original["jti"])
        #expect(claims["exp"]?.double == noon.seconds - 3600)
        #expect(after.header["typ"] == "at+jwt")
        #expect(after.header["kid"] == before.header["kid"])
        #expect(try backends.expired(good, of: .customer, for: 3600) == nil)
    }

    @Test func takenPortIsError() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let first = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        let ports = try await first.start(ports: .free)
        let second = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        await #expect(throws: (any Error).self) { try await second.start(ports: ports) }
        await first.shutdown()
    }
}
