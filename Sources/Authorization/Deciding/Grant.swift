package import Counting
import HTTPCore

/// Permission to reach a tenant's backend. Only the ``Authorizer`` makes one, and forwarding takes nothing else.
package struct Grant {
    package let request: RoutedRequest
    /// Nil if no token was needed and no valid one came, and for requests that observe mode lets pass without one.
    package let caller: Caller?
    /// Counted and logged: in observe mode the refusal that would apply.
    package let outcome: Outcome
    /// The callers whose tokens are revoked if the backend responds with success, nearly always one; a token may be an
    /// expired one that could still be refreshed. Nil for none.
    package let signsOut: [Caller]?
    /// Whether the rules require a caller: only then does the backend's 401 lead to a refresh.
    package let needsCaller: Bool
    /// The `X-Verified-*` fields of a sign-in, each with its CRLF; empty for all other requests.
    package private(set) var signInLines: [UInt8] = []

    /// For ``Authorizer`` only.
    init(request: RoutedRequest, caller: Caller?, outcome: Outcome, signsOut: [Caller]?, needsCaller: Bool) {
        self.request = request
        self.caller = caller
        self.outcome = outcome
        self.signsOut = signsOut
        self.needsCaller = needsCaller
    }

    /// The grant for a checked sign-in.
    func with(_ signIn: CheckedSignIn) -> Grant {
        let outcome = signIn.wouldBe.map(Outcome.refused) ?? outcome
        var grant = Grant(request: request, caller: caller, outcome: outcome, signsOut: signsOut, needsCaller: false)
        grant.signInLines = signIn.lines
        return grant
    }
}
