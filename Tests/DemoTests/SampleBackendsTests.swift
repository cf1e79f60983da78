import Logging
import Testing
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

    @Test func signInsAreOfTheirAppsAndExpireWhenTheyAreTo() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        for app in SampleAppName.allCases {
            let good = try await backends.signIn(app, email: "alice@shop.example")
            let expired = try await backends.signIn(app, email: "alice@shop.example", expiredFor: 60)
            #expect((good.refreshToken != nil) == (app == .chat || app == .clans))
            let claims = try UnverifiedToken(Array(good.accessToken.utf8)).claims()
            #expect(claims["sub"] == "user-alice")
            #expect(try #require(claims["exp"]?.double) > noon)
            let past = try UnverifiedToken(Array(expired.accessToken.utf8)).claims()
            #expect(past["exp"]?.double == noon - 60)
            #expect(try #require(past["iat"]?.double) < noon - 60)
        }
        let driver = try await backends.signIn(.driver, email: "alice@shop.example", role: "customer")
        let claims = try UnverifiedToken(Array(driver.accessToken.utf8)).claims()
        #expect(claims["aud"] == "umuve-driver")
        #expect(claims["role"] == "customer")
    }

    @Test func signInFailsWhereTheGatewayBeginsNoSession() async throws {
        struct NoSession: Error {}
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon }) { _, _, _ in
            throw NoSession()
        }
        await #expect(throws: NoSession.self) { try await backends.signIn(.clans, email: "alice@clans.example") }
        _ = try await backends.signIn(.customer, email: "alice@umuve.example")
    }

    @Test func takenPortIsAnError() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let first = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        let ports = try await first.start(ports: .free)
        let second = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        await #expect(throws: (any Error).self) { try await second.start(ports: ports) }
        await first.shutdown()
    }
}
