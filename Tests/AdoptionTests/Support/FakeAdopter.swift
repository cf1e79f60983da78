import TestSupport
import Time

@testable import Adoption
@testable import IdentityProvider

/// Begins sessions `s-1`, `s-2`, … of a tenant's own issuer when a test lets it.
final class FakeAdopter: SessionAdopting {
    struct State: Sendable {
        var failure: AdoptionFailure?
        /// While it is closed, nobody gets a session.
        var isOpen = true
        /// Whether a session is begun even if nobody waits for it.
        var isStubborn = false
        var waiting = 0
        var opened: [String] = []
        var ended: [String] = []
        /// Those whose clients have used their tokens.
        var used: Set<String> = []
        var claims: [FormerSession] = []
    }

    let state = Awaited(State())
    private let prefix: String

    init(prefix: String = "s") { self.prefix = prefix }

    func open(
        _ former: FormerSession,
        at now: UnixTime,
        isInTime: @Sendable () -> Bool
    ) async throws(AdoptionFailure) -> IssuedTokens {
        state.update { $0.waiting += 1 }
        await state.wait { $0.isOpen }
        let (failure, isStubborn) = state.update { ($0.failure, $0.isStubborn) }
        if let failure { throw failure }
        guard isStubborn || isInTime() else { throw .late }
        let session = state.update { state in
            state.opened.append("\(prefix)-\(state.opened.count + 1)")
            state.claims.append(former)
            return state.opened.last ?? ""
        }
        return IssuedTokens(
            accessToken: "access of \(session)",
            refreshToken: "refresh of \(session)",
            idToken: nil,
            scopes: former.principal.scopes,
            confirmation: nil,
            accessExpiresAt: now + 1800,
            expiresIn: 1800,
            sessionID: session,
            sessionExpiresAt: now + 86_400
        )
    }

    func end(_ sessionID: String, because reason: String, at now: UnixTime) async {
        state.update { $0.ended.append(sessionID) }
    }

    func isUnused(_ sessionID: String, at now: UnixTime) async throws(AdoptionFailure) -> Bool {
        let state = state.value
        return !state.used.contains(sessionID) && !state.ended.contains(sessionID)
    }
}
