/// What a decision is told of a request that does not stand in its head, and what was found out for it so far. One for
/// whoever asks, used again for each request.
final class Circumstances {
    /// Who is at the other end of the connection; nil where there is none.
    var peer: Peer?
    /// What was found of a sign-in, which needs no caller; nil for all other requests.
    var signIn: CheckedSignIn?
    /// What came of asking about the token, if that is an opaque one.
    var introspected: IntrospectionFinding?
    /// What was found of a proof that came with the token.
    var proof: ProofFinding?
    /// For the client's next proof, where the one that it used will soon be too old.
    var freshNonce: String?
    /// The slow steps that would have been taken, had there been room for one more.
    var withoutRoom: AllowedSteps = []
    /// The first thing that would have been refused and was let through, because it is only observed.
    private(set) var observed: ObservedRefusal?
    /// Whether the caller's limits have counted the request.
    var hasCountedCaller = false
    /// Whether it is only asked what would be: then no allowance is used up.
    var isRehearsal = false
    /// Where each step of the decision is told; nil for requests that go on.
    var explanation: Explanation?

    init(peer: Peer? = nil) {
        self.peer = peer
    }

    /// Another request.
    func begin(_ peer: Peer?) {
        self.peer = peer
        if signIn != nil { signIn = nil }
        if introspected != nil { introspected = nil }
        if proof != nil { proof = nil }
        if freshNonce != nil { freshNonce = nil }
        if !withoutRoom.isEmpty { withoutRoom = [] }
        if observed != nil { observed = nil }
        hasCountedCaller = false
    }

    func note(_ refusal: ObservedRefusal) {
        explanation?.note(observed: refusal.refusal, line: refusal.line)
        if observed == nil { observed = refusal }
    }
}

/// What would have been refused.
struct ObservedRefusal {
    var refusal: Refusal
    /// The line in tenants.yaml of the rule or the tenant that is only observed.
    var line: Int
}
