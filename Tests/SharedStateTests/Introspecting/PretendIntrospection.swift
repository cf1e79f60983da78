import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState
@testable import Tenants

/// A server that records the introspected tokens, and how many at once. It can hold its responses.
final class PretendIntrospection: IntrospectionClient {
    private struct State {
        var answers: [[UInt8]: Result<String, IntrospectionFailure>] = [:]
        var asked: [[UInt8]] = []
        var isOpen = true
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var asked: [String] { state.withLock { $0.asked.map { String(decoding: $0, as: UTF8.self) } } }

    func set(_ token: String, _ answer: String) {
        state.withLock { $0.answers[Array(token.utf8)] = .success(answer) }
    }

    func fail(_ token: String, _ trouble: IntrospectionFailure) {
        state.withLock { $0.answers[Array(token.utf8)] = .failure(trouble) }
    }

    /// Questions wait from now on.
    func shut() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Until so many questions have come.
    func wasAsked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.asked.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func ask(about token: [UInt8]) async throws(IntrospectionFailure) -> IntrospectionResponse {
        let arrived = state.withLock { state in
            state.asked.append(token)
            let arrived = state.watchers.filter { $0.count <= state.asked.count }
            state.watchers.removeAll { $0.count <= state.asked.count }
            return arrived
        }
        for (_, watcher) in arrived { watcher.resume() }
        // The server's state at the time of the request, however late the response is.
        let answer = state.withLock { $0.answers[token] } ?? .success(#"{"active":false}"#)
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        guard let read = IntrospectionResponse(Array(try answer.get().utf8)) else { throw .garbledAnswer }
        return read
    }
}

/// A clock that a test moves.
final class HandClock: Sendable {
    static let start = UnixTime(1_800_000_000)

    private let time = Mutex(start)

    var now: UnixTime { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

extension Tenant {
    /// A tenant whose opaque tokens are introspected.
    static func introspecting(_ rules: Introspection) throws -> Tenant {
        let issuer = IssuerPolicy(
            issuer: "https://issuer.test",
            algorithms: [.hs256],
            keys: try KeySet(secret: Array("a secret that is long enough for HS256".utf8), algorithms: [.hs256])
        )
        return Tenant(
            TenantSettings(
                name: "app",
                hosts: [.exact("app.test")],
                backends: [Backend(servers: [BackendServer(address: HostPort(host: "127.0.0.1", port: 9))])],
                authenticate: Authentication(policy: VerificationPolicy(issuers: [issuer], leeway: 60)),
                introspection: rules
            )
        )
    }
}

extension IntrospectionOutcome {
    /// The subject, or the refusal.
    var text: String {
        switch self {
        case .active(let principal, _): principal.subject ?? "nobody"
        case .refused(let failure, _): failure.reason.rawValue
        case .unavailable(_, let isForAll): isForAll ? "unavailable" : "unavailable for this one"
        case .overloaded: "overloaded"
        }
    }
}
