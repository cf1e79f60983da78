package import Counting
import HTTPCore

/// Leave to reach a tenant's backend. Only the ``Authorizer`` gives one, and forwarding takes nothing else.
package struct Grant {
    package let request: RoutedRequest
    /// Nil where nobody had to be known and no good token came, and for what observe mode lets through.
    package let caller: Caller?
    /// What is counted and logged: in observe mode the refusal that would have been.
    package let outcome: Outcome
    /// Whose token is revoked if the backend answers with success: the caller's, or one that has expired, but could
    /// still be refreshed.
    package let signsOut: Caller?
    /// Whether the path wants a caller who is signed in: only for such a one the backend's 401 leads to a refresh.
    package let needsCaller: Bool
    /// What the backend is told of who signs in, each line with its CRLF; empty for all other requests.
    package private(set) var signInLines: [UInt8] = []

    /// For the ``Authorizer`` alone.
    init(request: RoutedRequest, caller: Caller?, outcome: Outcome, signsOut: Caller?, needsCaller: Bool) {
        self.request = request
        self.caller = caller
        self.outcome = outcome
        self.signsOut = signsOut
        self.needsCaller = needsCaller
    }

    /// The same for a sign-in that was checked.
    package func with(_ signIn: CheckedSignIn) -> Grant {
        let outcome = signIn.wouldBe.map(Outcome.refused) ?? outcome
        var grant = Grant(request: request, caller: caller, outcome: outcome, signsOut: signsOut, needsCaller: false)
        grant.signInLines = signIn.lines
        return grant
    }
}
