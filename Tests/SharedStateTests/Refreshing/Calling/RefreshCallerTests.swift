import Tenants
import Testing
import Time

@testable import SharedState

/// Which server is called, and the result.
@Suite struct RefreshCallerTests {
    private static let answer = #"{"access_token":"a.b.c","refresh_token":"new","expires_in":60}"#
    private static let tokens = ReceivedTokens(
        accessToken: Array("a.b.c".utf8),
        refreshToken: Array("new".utf8),
        cookies: []
    )

    private let backend = RecordingTransport(200, Self.answer)
    private let provider = RecordingTransport(200, Self.answer)
    private let issuer = RecordingIssuer(.tokens(Self.tokens))

    private func caller(_ rules: [RefreshRules?], provider: RecordingTransport? = nil) -> RefreshCaller {
        RefreshCaller(
            rules: rules,
            backend: backend,
            provider: provider ?? self.provider,
            builtIn: issuer,
            now: { SampleCalls.now }
        )
    }

    @Test func pathIsCalledOnTheBackend() async throws {
        let caller = caller([nil, try SampleCalls.rules(to: .backend(path: "/api/refresh?x=1"))])
        #expect(await caller.call(try SampleCalls.credential(), tenant: 1).tokens == Self.tokens)
        #expect(backend.requests.map(\.target) == ["/api/refresh?x=1"])
        #expect(backend.requests.map(\.host) == [Array("app.test".utf8)])
        #expect(backend.tenants == [1])
        #expect(provider.requests.isEmpty)
        #expect(issuer.tenants.isEmpty)
    }

    @Test func urlIsCalledAtTheProvider() async throws {
        let url = "https://id.test/token"
        let caller = caller([try SampleCalls.rules(.oauth2(clientID: "app", clientSecret: nil), to: .url(url))])
        #expect(await caller.call(try SampleCalls.credential(), tenant: 0).tokens == Self.tokens)
        #expect(provider.requests.map(\.target) == [url])
        #expect(backend.requests.isEmpty)
    }

    @Test func builtInIssuerNeedsNoRequest() async throws {
        let caller = caller([try SampleCalls.rules(.builtIn, to: nil)])
        let result = await caller.call(try SampleCalls.credential(refreshToken: nil), tenant: 0)
        #expect(result.tokens == Self.tokens)
        #expect(issuer.tenants == [0])
        #expect(backend.requests.isEmpty && provider.requests.isEmpty)
    }

    @Test func missingRefreshTokenMakesNoCall() async throws {
        for strategy in [RefreshCall.Strategy.refreshTokenJSON, .oauth2(clientID: "app", clientSecret: nil)] {
            let caller = caller([try SampleCalls.rules(strategy)])
            let result = await caller.call(try SampleCalls.credential(refreshToken: nil), tenant: 0)
            #expect(result.trouble == .noRefreshToken)
            #expect(!result.mayRetry)
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(arguments: [-1, 0, 2])
    func aTenantWithoutRulesIsNotRefreshed(tenant: TenantIndex) async throws {
        let caller = caller([nil, try SampleCalls.rules()])
        #expect(await caller.call(try SampleCalls.credential(), tenant: tenant).trouble == .noRefreshToken)
        #expect(backend.requests.isEmpty)
    }

    @Test func rulesWithoutTargetMakeNoCall() async throws {
        let caller = caller([try SampleCalls.rules(to: nil)])
        #expect(await caller.call(try SampleCalls.credential(), tenant: 0).trouble == .noRefreshToken)
    }

    @Test(arguments: [RefreshFailure.network, .timeout, .garbledAnswer, .tooLargeAnswer])
    func transportFailureIsReturned(trouble: RefreshFailure) async throws {
        let caller = caller(
            [try SampleCalls.rules(to: .url("https://id.test/"))],
            provider: RecordingTransport(.failure(trouble))
        )
        #expect(await caller.call(try SampleCalls.credential(), tenant: 0).trouble == trouble)
    }

    /// Trying again is the service's.
    @Test(arguments: [400, 500, 200, 302])
    func callIsNotRetried(status: Int) async throws {
        let provider = RecordingTransport(status, "")
        let caller = caller([try SampleCalls.rules(to: .url("https://id.test/"))], provider: provider)
        #expect(await caller.call(try SampleCalls.credential(), tenant: 0).tokens == nil)
        #expect(provider.requests.count == 1)
    }

    @Test func secondsCountFromTheClock() async throws {
        let caller = caller([try SampleCalls.rules(cookies: [("access", "/access_token")])])
        let tokens = await caller.call(try SampleCalls.credential(), tenant: 0).tokens
        #expect(tokens?.cookies.map(\.expiresAt) == [SampleCalls.now + 60])
    }
}
