import Tenants
import TestSupport
import Verification

@testable import SharedState

/// A provider that issues new tokens once for each refresh token; presenting a used one ends the session for good (RFC
/// 9700 section 4.14.2).
final class PretendIssuer: RefreshCalling {
    enum Outcome: Sendable {
        case tokens
        case failure(RefreshFailure)
        case refusal
        case other(ReceivedTokens)
    }

    struct State: Sendable {
        var calls = 0
        var open = 0
        var mostCalls = 0
        /// The presented credentials, in order.
        var presented: [[UInt8]] = []
        /// The refresh token that is good now, by session.
        var current: [String: Int] = [:]
        /// Sessions in which a used one was presented.
        var ended: Set<String> = []
        /// The next outcomes; then tokens.
        var script: [Outcome] = []
        var isHeld = false
    }

    let state = Awaited(State())
    private let naming: RefreshTokens.Naming
    private let rotates: Bool

    init(naming: RefreshTokens.Naming = .sid, rotates: Bool = true) {
        self.naming = naming
        self.rotates = rotates
    }

    func call(_ credential: RefreshCredential, tenant: TenantIndex) async -> RefreshCallResult {
        state.update { state in
            state.calls += 1
            state.open += 1
            state.mostCalls = max(state.mostCalls, state.open)
            state.presented.append(credential.refreshToken ?? credential.accessToken)
        }
        await state.wait { !$0.isHeld }
        return state.update { state in
            state.open -= 1
            return self.outcome(credential, &state)
        }
    }

    private func outcome(_ credential: RefreshCredential, _ state: inout State) -> RefreshCallResult {
        switch state.script.isEmpty ? .tokens : state.script.removeFirst() {
        case .failure(let trouble): return .failed(trouble)
        case .refusal: return .refused
        case .other(let tokens): return .tokens(tokens)
        case .tokens: break
        }
        let session = RefreshTokens.session(credential.principal)
        let current = state.current[session, default: 1]
        if let refreshToken = credential.refreshToken, rotates {
            guard !state.ended.contains(session), refreshToken == RefreshTokens.refresh(session, current) else {
                state.ended.insert(session)
                return .refused
            }
        }
        state.current[session] = current + 1
        return .tokens(
            ReceivedTokens(
                accessToken: RefreshTokens.access(
                    session,
                    current + 1,
                    naming: naming,
                    subject: credential.principal.subject ?? ""
                ),
                refreshToken: rotates ? RefreshTokens.refresh(session, current + 1) : nil,
                cookies: [Renewal.Cookie(name: "refresh", value: RefreshTokens.refresh(session, current + 1))]
            )
        )
    }

    var calls: Int { state.value.calls }
    func script(_ outcomes: Outcome...) { state.update { $0.script = outcomes } }
    func hold() { state.update { $0.isHeld = true } }
    func release() { state.update { $0.isHeld = false } }
    func called(_ count: Int) async { await state.wait { $0.calls >= count } }
}
