import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Answers requests for metadata one after another, each when a test lets it.
private final class HeldRequests: ProviderRequests {
    private let state = Mutex((outcomes: [ScriptedRequests.Outcome](), asked: 0))
    private let gate: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation

    init() { (gate, opener) = AsyncStream.makeStream() }

    var asked: Int { state.withLock { $0.asked } }

    func answer(_ outcome: ScriptedRequests.Outcome) {
        state.withLock { $0.outcomes.append(outcome) }
        opener.yield()
    }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        state.withLock { $0.asked += 1 }
        for await _ in gate { break }
        let outcome = state.withLock { $0.outcomes.isEmpty ? .failure(.unreachable) : $0.outcomes.removeFirst() }
        return try outcome.get()
    }
}

struct OpenIDMetadataSourceTests {
    private static let start = SignedByProviders.now
    private static let good: ScriptedRequests.Outcome = .json([
        "issuer": .string(NamedProvider.issuer), "authorization_endpoint": "https://id.example/authorize",
        "token_endpoint": "https://id.example/token",
    ])

    private let requests = HeldRequests()
    private let log = RecordedLog()

    private func source() throws -> OpenIDMetadataSource {
        guard case .openID(let service) = try NamedProvider.openID().service else { throw SourceMissing() }
        return OpenIDMetadataSource(service, of: .named("company"), requests: requests, logger: log.logger)
    }

    private struct SourceMissing: Error {}

    @Test func manySignInsFetchOnce() async throws {
        let source = try source()
        async let first = source.metadata(at: Self.start)
        async let second = source.metadata(at: Self.start)
        async let third = source.metadata(at: Self.start)
        requests.answer(Self.good)
        let all = try await [first, second, third]
        #expect(all.allSatisfy { $0.tokenURL == "https://id.example/token" })
        #expect(requests.asked == 1)
        _ = try await source.metadata(at: Self.start + 3599)
        #expect(requests.asked == 1, "fresh for an hour")
    }

    @Test func staleMetadataServesWhileProviderIsDown() async throws {
        let source = try source()
        requests.answer(Self.good)
        let known = try await source.metadata(at: Self.start)
        requests.answer(.failure(.timeout))
        #expect(try await source.metadata(at: Self.start + 3600) == known)
        #expect(requests.asked == 2)
        #expect(try await source.metadata(at: Self.start + 3600.5) == known)
        #expect(requests.asked == 2, "not at once again")
        requests.answer(.failure(.timeout))
        let refusal = try await providerRefusal { try await source.metadata(at: Self.start + 86_400) }
        #expect(refusal.code == .backendTimeout)
        #expect(refusal.status == 503)
    }

    @Test(
        arguments: [
            .failure(.unreachable), .failure(.garbled), .text("<!DOCTYPE html>", status: 200), .text("", status: 500),
            .json(["issuer": "https://other.example"]), .text("", status: 302),
        ] as [ScriptedRequests.Outcome]
    )
    func metadataThatCannotBeUsedIsUnavailableAndLogged(outcome: ScriptedRequests.Outcome) async throws {
        let source = try source()
        requests.answer(outcome)
        let refusal = try await providerRefusal { try await source.metadata(at: Self.start) }
        #expect(refusal.code == .backendUnavailable)
        #expect(refusal.status == 503)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("company") == true)
        requests.answer(Self.good)
        _ = try await source.metadata(at: Self.start + 2)
        #expect(requests.asked == 2, "asked again after a pause")
    }
}
