package import HTTPCore
package import Tenants

/// What the authorizer is told of a request besides its head, and what was found out for it so far. Each caller of the
/// authorizer has one, and uses it again for its next request.
package final class DecisionContext {
    /// Who is at the other end of the connection; nil where there is none.
    package var peer: Peer?
    /// What is remembered of the connection's last token; nil where there is no connection.
    package private(set) var tokenMemory: TokenMemory?
    /// Nil where there are no connections.
    package let shownCertificates: (any ShownCertificates)?
    package var source: RequestSource
    /// Where each step of the decision is noted; nil for requests that go on.
    package var explanation: Explanation?
    /// What came of the slow steps, and which may still be asked for.
    package var steps: DecisionSteps
    /// What was found of a sign-in, which needs no caller; nil for all other requests.
    package var signIn: CheckedSignIn?
    /// For the client's next proof, where the one that it used will soon be too old.
    package var freshNonce: String?
    /// The first thing that would have been refused and was let through, because it is only observed.
    package private(set) var observed: ObservedRefusal?
    /// Whether the checks that are made once a request are behind it.
    var isAdmitted = false
    /// Whether the caller's limits have counted the request.
    var hasCountedCaller = false
    /// Whether the counters of the token cache have counted the request.
    private var hasCountedToken = false

    package init(
        peer: Peer? = nil,
        source: RequestSource = .connection,
        allowing: AllowedSteps = .all,
        shownCertificates: (any ShownCertificates)? = nil,
        explanation: Explanation? = nil
    ) {
        self.peer = peer
        self.source = source
        self.shownCertificates = shownCertificates
        self.explanation = explanation
        steps = DecisionSteps(allowing: allowing)
    }

    /// Another request.
    package func begin(_ peer: Peer?, _ tokenMemory: TokenMemory? = nil) {
        self.peer = peer
        self.tokenMemory = tokenMemory
        if !steps.isUntouched { steps = DecisionSteps() }
        if signIn != nil { signIn = nil }
        if freshNonce != nil { freshNonce = nil }
        if observed != nil { observed = nil }
        isAdmitted = false
        hasCountedCaller = false
        hasCountedToken = false
    }

    /// Whether the counters of the token cache count this look at the token: each request's first one, and no
    /// rehearsal's.
    func countsToken() -> Bool {
        guard !hasCountedToken, !source.isRehearsal else { return false }
        hasCountedToken = true
        return true
    }

    package func note(_ refusal: ObservedRefusal) {
        explanation?.note(observed: refusal.refusal, line: refusal.line)
        if observed == nil { observed = refusal }
    }
}

/// Where a request comes from that is decided on.
package struct RequestSource: Equatable {
    /// Whether the request itself is here, with its connection and its body, rather than a question about it.
    var isReceivedHere = false
    /// Whether a browser's question can be answered; else a preflight is a request like others.
    var answersPreflights = true
    /// Whether the backend would get the path as it came: then one that this gateway would send on in another form is
    /// ambiguous.
    var isForwardedAsReceived = false
    /// Whether it is only asked what would be: then no allowance is used up.
    package var isRehearsal = false
    /// Whether the gateway reads the body and answers its own endpoints, or would; another proxy that asks has the head
    /// alone to show.
    var isServedHere: Bool { !isForwardedAsReceived }

    /// A client's request on a connection of the gateway's.
    package static let connection = RequestSource(isReceivedHere: true)
    /// Another proxy asks over HTTP: whatever is no refusal lets the request pass.
    package static let forwardAuth = RequestSource(answersPreflights: false, isForwardedAsReceived: true)
    /// Envoy asks over gRPC, and passes on what it is to answer.
    package static let extAuthz = RequestSource(isForwardedAsReceived: true)
    /// Nothing comes of it.
    package static let rehearsal = RequestSource(isRehearsal: true)
}

/// The certificates that clients are shown, by the name that they ask for.
package protocol ShownCertificates: AnyObject {
    /// The files of the certificate for a host.
    func certificate(forServerName serverName: String) -> ServerCertificate?
}

extension ClientScheme {
    /// Where it is only asked what would be, there is no connection: the address that is asked about speaks neither.
    package static func read(_ head: RequestHead, _ bytes: Span<UInt8>, _ decisionContext: DecisionContext)
        -> ClientScheme
    {
        let peer = decisionContext.peer
        if decisionContext.source.isRehearsal, peer?.isTrustedProxy != true { return .unknown }
        return read(head, bytes, peer)
    }
}
