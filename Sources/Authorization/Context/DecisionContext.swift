package import HTTPCore
package import Tenants

/// The authorizer's input besides a request's head, and the findings for it so far. Each caller of the authorizer has
/// one, and reuses it for its next request.
package final class DecisionContext {
    /// The other end of the connection; nil if there is none.
    package var peer: Peer?
    /// The entry of the connection's last token; nil if there is no connection.
    package private(set) var tokenMemory: TokenMemory?
    /// Nil if there are no connections.
    package let shownCertificates: (any PresentedCertificates)?
    package var source: RequestSource
    /// Records each step of the decision; nil for ordinary requests.
    package var explanation: Explanation?
    /// The results of the slow steps, and which may still be requested.
    package var steps: DecisionSteps
    /// A checked sign-in, which needs no caller; nil for all other requests.
    package var signIn: CheckedSignIn?
    /// For the client's next proof, if the nonce it used is about to expire.
    package var freshNonce: String?
    /// What the request says of its app's version; nil if the tenant does not ask.
    package var appVersion: AppVersionFinding?
    /// Set for a request with tokens at several locations; nil for all others.
    package private(set) var severalTokens: SeveralTokens?
    /// The first refusal that was let pass because it is only observed.
    package private(set) var observed: ObservedRefusal?
    /// Whether the checks that run once per request are done.
    var isAdmitted = false
    /// Whether the caller's limits have counted the request.
    var hasCountedCaller = false
    /// Whether the counters of the token cache have counted the request.
    private var hasCountedToken = false
    /// Whether the counters of the access rules have counted the request.
    private var hasCountedRules = false

    package init(
        peer: Peer? = nil,
        source: RequestSource = .connection,
        allowing: AllowedSteps = .all,
        shownCertificates: (any PresentedCertificates)? = nil,
        explanation: Explanation? = nil
    ) {
        self.peer = peer
        self.source = source
        self.shownCertificates = shownCertificates
        self.explanation = explanation
        steps = DecisionSteps(allowing: allowing)
    }

    /// Begins another request.
    package func begin(_ peer: Peer?, _ tokenMemory: TokenMemory? = nil) {
        self.peer = peer
        self.tokenMemory = tokenMemory
        if !steps.isUntouched { steps = DecisionSteps() }
        if signIn != nil { signIn = nil }
        if freshNonce != nil { freshNonce = nil }
        if observed != nil { observed = nil }
        if severalTokens != nil { severalTokens = nil }
        appVersion = nil
        isAdmitted = false
        hasCountedCaller = false
        hasCountedToken = false
        hasCountedRules = false
    }

    /// Whether the counters of the token cache count this lookup: the first one of each request, and none of a
    /// rehearsal.
    func countsToken() -> Bool {
        guard !hasCountedToken, !source.isRehearsal else { return false }
        hasCountedToken = true
        return true
    }

    /// Whether the counters of the access rules count this pass: the first one of each request, and none of a rehearsal.
    func countsRules() -> Bool {
        guard !hasCountedRules, !source.isRehearsal else { return false }
        hasCountedRules = true
        return true
    }

    func beginSeveralTokens() -> SeveralTokens {
        if let begun = severalTokens { return begun }
        let begun = SeveralTokens()
        severalTokens = begun
        return begun
    }

    /// The result for an opaque token that this request has asked about.
    func introspectionFinding(for token: Span<UInt8>, tenant: TenantIndex) -> IntrospectionFinding? {
        if let last = steps.introspected, last.isOf(token, tenant: tenant) { return last }
        guard let earlier = severalTokens?.introspected else { return nil }
        for finding in earlier where finding.isOf(token, tenant: tenant) { return finding }
        return nil
    }

    package func note(_ refusal: ObservedRefusal) {
        explanation?.note(observed: refusal.refusal, line: refusal.line)
        if observed == nil { observed = refusal }
    }

    /// Says more of the observed refusal, for an explanation.
    func replaceObserved(_ refusal: ObservedRefusal) { observed = refusal }
}

/// The source of a request that is decided on.
package struct RequestSource: Equatable {
    /// Whether the request itself is here, with its connection and its body, rather than a query about it.
    var isReceivedHere = false
    /// Whether preflights can be answered; if not, a preflight is a request like others.
    var answersPreflights = true
    /// Whether the backend gets the path as received: then a path that this gateway would rewrite is ambiguous.
    var isForwardedAsReceived = false
    /// Whether the decision is hypothetical: then no allowance is used up.
    package var isRehearsal = false
    /// Whether the gateway would read the body and serve its own endpoints; another proxy that asks sends only the
    /// head.
    package var isServedHere: Bool { !isForwardedAsReceived }

    /// A client's request on one of the gateway's connections.
    package static let connection = RequestSource(isReceivedHere: true)
    /// Another proxy asks over HTTP: anything but a refusal lets the request pass.
    package static let forwardAuth = RequestSource(answersPreflights: false, isForwardedAsReceived: true)
    /// Envoy asks over gRPC, and passes on the gateway's response.
    package static let extAuthz = RequestSource(isForwardedAsReceived: true)
    /// Nothing is forwarded.
    package static let rehearsal = RequestSource(isRehearsal: true)
}

/// The certificates for clients, by server name.
package protocol PresentedCertificates: AnyObject {
    /// The files of the certificate for a host.
    func certificate(forServerName serverName: String) -> ServerCertificate?
}

extension ClientScheme {
    /// A hypothetical decision has no connection, so it has neither certificate nor TLS.
    package static func read(_ head: RequestHead, _ bytes: Span<UInt8>, _ decisionContext: DecisionContext)
        -> ClientScheme
    {
        let peer = decisionContext.peer
        if decisionContext.source.isRehearsal, peer?.isTrustedProxy != true { return .unknown }
        return read(head, bytes, peer)
    }
}
