import Logging
import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Asking servers for the whole process.
struct IntrospectionServiceTests {
    private let server = PretendIntrospection()
    private let clock = HandClock()

    private func service(cache: Duration = .seconds(30)) throws -> IntrospectionService {
        let tenant = try Tenant.introspecting(.test(cache: cache))
        return IntrospectionService([tenant], logger: Logger(label: "test"), now: { clock.now }) { _ in server }
    }

    private func request(_ token: String, isAhead: Bool = false) -> IntrospectionRequest {
        IntrospectionRequest(tenant: 0, token: Array(token.utf8), isAhead: isAhead)
    }

    private static let alice = #"{"active":true,"sub":"alice","exp":1800003600}"#

    @Test func hundredConcurrentRequestsMakeOneCall() async throws {
        let service = try service()
        server.set("t", Self.alice)
        server.shut()
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { await service.introspect(request("t")).text } }
            await server.wasAsked(1)
            server.open()
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: "alice", count: 100))
        #expect(server.asked == ["t"])
    }

    @Test func outcomeIsUsedForItsLifetime() async throws {
        let service = try service()
        server.set("t", Self.alice)
        #expect(await service.introspect(request("t")).text == "alice")
        server.set("t", #"{"active":false}"#)
        clock.advance(29.9)
        #expect(await service.introspect(request("t")).text == "alice")
        clock.advance(0.1)
        #expect(await service.introspect(request("t")).text == "inactive")
        #expect(server.asked.count == 2)
    }

    @Test func withoutCacheEachRequestMakesACall() async throws {
        let service = try service(cache: .zero)
        server.set("t", Self.alice)
        for count in 1...3 {
            #expect(await service.introspect(request("t")).text == "alice")
            #expect(server.asked.count == count)
        }
    }

    /// The first response was sent before the second query arrived.
    @Test func withoutCacheAnEarlierCallIsNotShared() async throws {
        let service = try service(cache: .zero)
        server.set("t", Self.alice)
        server.shut()
        async let first = service.introspect(request("t"))
        await server.wasAsked(1)
        server.set("t", #"{"active":false}"#)
        let (second, third) = (
            Task { await service.introspect(request("t")).text }, Task { await service.introspect(request("t")).text }
        )
        clock.advance(0.1)
        await Self.settle()
        server.open()
        #expect(await first.text == "alice")
        #expect(await second.value == "inactive")
        #expect(await third.value == "inactive")
    }

    /// Lets all that can go on do so.
    private static func settle() async {
        for _ in 0..<100 { await Task.yield() }
    }

    @Test func aRefusalIsRememberedForASecondAtLeast() async throws {
        let service = try service(cache: .zero)
        #expect(await service.introspect(request("x")).text == "inactive")
        clock.advance(0.9)
        #expect(await service.introspect(request("x")).text == "inactive")
        #expect(server.asked == ["x"])
        clock.advance(0.1)
        #expect(await service.introspect(request("x")).text == "inactive")
        #expect(server.asked == ["x", "x"])
    }

    @Test func aRefusalIsRememberedForHalfAMinuteAtMost() async throws {
        let service = try service(cache: .seconds(600))
        #expect(await service.introspect(request("x")).text == "inactive")
        clock.advance(30)
        server.set("x", Self.alice)
        #expect(await service.introspect(request("x")).text == "alice")
    }

    @Test func notYetValidTokenIsCheckedAgainSoon() async throws {
        let service = try service()
        server.set("x", #"{"active":true,"nbf":1800000090,"exp":1800003600}"#)
        #expect(await service.introspect(request("x")).text == "not_yet_valid")
        clock.advance(1)
        server.set("x", Self.alice)
        #expect(await service.introspect(request("x")).text == "alice")
    }

    @Test(arguments: [IntrospectionFailure.clientRefused, .serverFailed])
    func unreachableServerIsCalledOnceASecond(trouble: IntrospectionFailure) async throws {
        let service = try service()
        server.fail("a", trouble)
        server.set("b", Self.alice)
        #expect(await service.introspect(request("a")).text == "unavailable")
        #expect(await service.introspect(request("b")).text == "unavailable")
        #expect(server.asked == ["a"])
        clock.advance(1)
        #expect(await service.introspect(request("b")).text == "alice")
    }

    @Test(arguments: [
        IntrospectionFailure.garbledAnswer, .unexpectedStatus, .forbidden, .network, .timeout, .proxyFailed,
    ])
    func aTokenThatTheServerStumblesOverIsLeftAloneForASecond(trouble: IntrospectionFailure) async throws {
        let service = try service()
        server.fail("a", trouble)
        server.set("b", Self.alice)
        #expect(await service.introspect(request("a")).text == "unavailable for this one")
        #expect(await service.introspect(request("a")).text == "unavailable for this one")
        #expect(await service.introspect(request("b")).text == "alice")
        #expect(server.asked == ["a", "b"])
    }

    @Test(arguments: [IntrospectionFailure.network, .timeout, .proxyFailed])
    func failingServerIsNotCalledForAMoment(trouble: IntrospectionFailure) async throws {
        let service = try service()
        for token in ["a", "b", "c"] { server.fail(token, trouble) }
        server.set("d", Self.alice)
        #expect(await service.introspect(request("a")).text == "unavailable for this one")
        #expect(await service.introspect(request("b")).text == "unavailable for this one")
        #expect(await service.introspect(request("c")).text == "unavailable")
        #expect(await service.introspect(request("d")).text == "unavailable")
        #expect(server.asked == ["a", "b", "c"])
        clock.advance(1)
        #expect(await service.introspect(request("d")).text == "alice")
    }

    /// Invalid tokens that make the server fail must not lock out valid ones.
    @Test func formerlyActiveTokenIsTriedDuringTheQuietTime() async throws {
        let service = try service()
        server.set("t", Self.alice)
        #expect(await service.introspect(request("t")).text == "alice")
        clock.advance(30)
        for token in ["a", "b", "c"] {
            server.fail(token, .timeout)
            _ = await service.introspect(request(token))
        }
        #expect(await service.introspect(request("d")).text == "unavailable for this one")
        #expect(await service.introspect(request("t")).text == "alice")
        #expect(await service.introspect(request("d")).text == "inactive")
        #expect(server.asked == ["t", "a", "b", "c", "t", "d"])
    }

    /// A failure does not extend the last outcome.
    @Test func expiredOutcomeIsNotUsedWhileTheServerIsAway() async throws {
        let service = try service()
        server.set("t", Self.alice)
        #expect(await service.introspect(request("t")).text == "alice")
        server.fail("t", .network)
        clock.advance(24)
        #expect(await service.introspect(request("t", isAhead: true)).text == "unavailable for this one")
        #expect(await service.introspect(request("t")).text == "alice")
        clock.advance(6)
        #expect(await service.introspect(request("t")).text == "unavailable for this one")
    }

    @Test func concurrentIntrospectionsAreLimited() async throws {
        let service = try service()
        server.shut()
        let asking = (0..<IntrospectionState.mostConcurrent).map { number in
            Task { await service.introspect(request("garbage-\(number)")).text }
        }
        await server.wasAsked(IntrospectionState.mostConcurrent)
        #expect(await service.introspect(request("one more")).text == "overloaded")
        server.open()
        for one in asking { #expect(await one.value == "inactive") }
        #expect(server.asked.count == IntrospectionState.mostConcurrent)
    }

    @Test func claimsAreCheckedByTheTenantsRules() async throws {
        var rules = Introspection.test()
        rules.issuer = "https://id.test"
        rules.audiences = ["shop"]
        var tenant = try Tenant.introspecting(rules)
        tenant.authenticate.policy.requiredClaims = ["exp"]
        let service = IntrospectionService([tenant], logger: Logger(label: "test"), now: { clock.now }) { _ in server }
        let claims = [
            ("a", #""iss":"https://id.test","aud":"shop","exp":1800000600,"sub":"alice""#, "alice"),
            ("b", #""iss":"https://id.test","aud":"shop","sub":"alice""#, "missing_claim"),
            ("c", #""iss":"https://other.test","aud":"shop","exp":1800000600"#, "unknown_issuer"),
            ("d", #""iss":"https://id.test","aud":"other","exp":1800000600"#, "wrong_audience"),
            ("e", #""iss":"https://id.test","aud":"shop","exp":1799999940"#, "expired"),
        ]
        for (token, claims, outcome) in claims {
            server.set(token, #"{"active":true,\#(claims)}"#)
            #expect(await service.introspect(request(token)).text == outcome)
        }
    }
}
