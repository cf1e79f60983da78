import Authorization
import Counting
import HTTPCore
import NIOCore
import SharedState
import Tenants
import Time
import Verification

/// Refreshes for one request: before it is forwarded, after the backend's 401, or after its response.
extension RequestExchange {
    // MARK: On the way to the backend

    /// Keeps what a refresh may need of a granted request, and checks whether its token is due for one.
    ///
    /// - Returns: The request, nil if the backend's 401 leads to no refresh; and what a session for a token of a former
    ///   issuer needs, nil for others.
    func prepareRefresh(_ grant: Grant, _ bytes: Span<UInt8>) -> (ReplayableRequest?, AdoptionAttempt?) {
        guard let caller = grant.caller, let refreshing = grant.request.tenant.refreshing else { return (nil, nil) }
        let adoption =
            worker.lastTick >= caller.adoptedFrom ? adoptionAttempt(caller, refreshing, grant.request, bytes) : nil
        if worker.unixTime(at: record.startedAt) >= caller.lifetime.dueFrom {
            deliverOrNote(caller, grant.request, bytes)
        }
        guard refreshing.rules.onUnauthorized else { return (nil, adoption) }
        let kept = ReplayableRequest(
            grant.request,
            limit: grant.request.limits.replayBytes,
            room: worker.replayRoom,
            spare: worker.loop.spares.requests
        )
        return (kept, adoption)
    }

    /// The token expires soon: deliver a new one that is already there, or note a refresh after the response.
    private func deliverOrNote(_ caller: Caller, _ routed: RoutedRequest, _ bytes: Span<UInt8>) {
        let memory = caller.refreshMemory ?? RefreshMemory()
        caller.refreshMemory = memory
        memory.forgetOld(at: worker.lastTick)
        guard memory.renewal != nil || worker.lastTick >= memory.restUntil,
            let (request, attempt) = refreshRequest(.ahead, caller, routed, bytes)
        else { return }
        if let renewal = memory.renewal(for: request.refreshToken) {
            guard isBoundAlike(renewal, attempt), isGood(renewal, attempt) else { return }
            deliver(renewal, attempt)
            record.refresh = RefreshNote(event: .delivered)
        } else if worker.lastTick >= memory.restUntil {
            dueRefresh = request
        }
    }

    /// Refreshes an expired token while the request waits, undecided. Returns whether the refresh has begun or the
    /// request is to be decided on without it.
    func refreshExpired(_ caller: Caller, _ routed: RoutedRequest, _ bytes: Span<UInt8>) -> Bool {
        guard let (request, attempt) = refreshRequest(.expired, caller, routed, bytes) else {
            // There is no refresh token, or no way to deliver a new token.
            worker.decideSoon(self)
            return true
        }
        guard worker.refresh(request, for: self) else { return false }
        record.trace?.refreshes(.expired, at: worker.now())
        _ = advance { $0.waitsForRefresh(attempt) }
        return true
    }

    // MARK: The backend's 401

    /// Refreshes the token for the request.
    ///
    /// - Returns: Nil if the 401 goes to the client without waiting.
    func beginRefresh(_ kept: ReplayableRequest) -> ResponseHold.Begun? {
        dueRefresh = nil
        let bytes = kept.request.received.bytes
        guard let caller = record.user.caller,
            let (request, attempt) = refreshRequest(
                .unauthorized,
                caller,
                kept.request,
                bytes.readableBytesUInt8Span
            )
        else { return nil }
        guard worker.refresh(request, for: self) else {
            note(.unavailable, .overloaded)
            return nil
        }
        record.trace?.refreshes(.unauthorized, at: worker.now())
        return .refresh(kept, attempt)
    }

    /// - Returns: Nil if the request must not lead to a refresh, has no refresh token, or its client has no way to get
    ///   new tokens.
    private func refreshRequest(
        _ trigger: RefreshRequest.Trigger,
        _ caller: Caller,
        _ routed: RoutedRequest,
        _ bytes: Span<UInt8>
    ) -> (RefreshRequest, RefreshAttempt)? {
        let head = routed.head
        guard let refreshing = routed.tenant.refreshing,
            !routed.request.inAnyReading(bytes, { refreshing.isExempt($0) }),
            let (source, range) = refreshing.findToken(
                head,
                bytes,
                query: routed.target.query,
                counted: decisionContext.severalTokens?.counted
            ),
            let way = refreshing.delivery(for: source)
        else { return nil }
        var refreshToken: [UInt8]?
        if case .cookie(let name) = refreshing.rules.source {
            // Any page can set these two: such a token does not show whose cookie was sent with it, and a refresh would
            // spend that cookie's token.
            switch source {
            case .query: return nil
            case .header(let field) where WebSocketProtocols.isName(field): return nil
            case .bearer, .cookie, .header: break
            }
            let cookie = TokenFinder.find(head, bytes, query: routed.target.query, in: [.cookie(name: name)])
            guard case .token(let value, _) = cookie else { return nil }
            refreshToken = bytes.copy(value)
        }
        let token = bytes.copy(range)
        let host = routed.target.authority ?? head.host.map { head.fields[$0].value } ?? 0..<0
        let request = RefreshRequest(
            tenant: routed.tenant.index,
            trigger: trigger,
            accessToken: token,
            principal: caller.principal,
            refreshToken: refreshToken,
            host: bytes.copy(host),
            deadline: worker.now() + patience(routed)
        )
        return (request, RefreshAttempt(caller: caller, token: token, refreshToken: refreshToken, way: way))
    }

    /// How long the client may wait for new tokens: as long as for the response, in nanoseconds.
    private func patience(_ routed: RoutedRequest) -> UInt64 {
        let backends = routed.tenant.tenant.backends
        guard let forwarding = routed.route?.route.forwarding else {
            return routed.tenant.defaultBackend.map { backends[$0].timeouts.response.nanosecondsClamped } ?? 0
        }
        let longest = forwarding.shares.map { backends[$0.backend].timeouts.response }.max() ?? .zero
        return (forwarding.responseTimeout ?? longest).nanosecondsClamped
    }

    // MARK: What came of it

    /// Called once for each refresh that was requested.
    func refreshed(_ outcome: RefreshOutcome) {
        guard let refresh = lifecycle.refresh else { return }
        record.trace?.refreshed(outcome, at: worker.now())
        switch refresh {
        case .beforeDecision(let attempt, let request): decideRefreshed(outcome, attempt, request)
        case .afterResponse(let attempt, let kept): replayRefreshed(outcome, attempt, kept)
        }
    }

    /// Decides on a request whose token had expired, with the new one if there is one.
    private func decideRefreshed(_ outcome: RefreshOutcome, _ attempt: RefreshAttempt, _ request: ReceivedRequest) {
        switch outcome {
        case .renewed(let renewal, let isShared):
            if let refusal = refusal(of: renewal, attempt) { return refuseWaiting(refusal) }
            guard let renewed = rewritten(request, renewal, attempt, isReplay: false),
                advance({ $0.stepEnded() }) != nil
            else { return refuseWaiting(.tokenExpired) }
            decisionContext.steps.ended(generation: worker.serving.generation)
            worker.loop.spares.requests.giveBack(request)
            deliver(renewal, attempt)
            record.refresh = RefreshNote(event: .renewed, isShared: isShared)
            decideAgain(renewed)
        case .refused(let trouble):
            noteRefusal(trouble, attempt)
            refuseWaiting(trouble == .revoked ? .tokenRevoked : .tokenExpired)
        case .unavailable(let trouble):
            note(.unavailable, trouble)
            refuseWaiting(Refusal.withoutNewToken(trouble))
        }
    }

    private func refuseWaiting(_ refusal: Refusal) {
        refuse(refusal)
        goOn()
    }

    /// After the backend's 401: replays the request with a new token, or sends the 401 to the client.
    private func replayRefreshed(_ outcome: RefreshOutcome, _ attempt: RefreshAttempt, _ kept: ReplayableRequest) {
        switch outcome {
        case .renewed(let renewal, let isShared):
            guard refusal(of: renewal, attempt) == nil else { break }
            deliver(renewal, attempt)
            if kept.isWhole, lifecycle.body.isComplete {
                record.refresh = RefreshNote(event: .replayed, isShared: isShared)
                if replay(kept, renewal, attempt) { return }
            } else {
                let reason = kept.body == .given ? "body_too_large" : "body_not_received"
                record.refresh = RefreshNote(event: .notReplayable, reason: reason, isShared: isShared)
            }
        case .refused(let trouble): noteRefusal(trouble, attempt)
        case .unavailable(let trouble): note(.unavailable, trouble)
        }
        resumeResponse()
    }

    /// Sends the same request again with the new token; the backend's second response is final. Returns whether that is
    /// possible.
    private func replay(_ kept: ReplayableRequest, _ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        guard let request = rewritten(kept.request.received, renewal, attempt, isReplay: true) else { return false }
        upstream.abandon()
        let content = kept.body == .whole ? BufferedBody(kept) : nil
        guard advance({ $0.replays(content) }) != nil else { return true }
        // Otherwise a backend that always sends 401 would have the token refreshed forever.
        decisionContext.steps.beginWithoutRefresh()
        decideAgain(request)
        return true
    }

    /// The request with new tokens, parsed again; nil if that fails.
    private func rewritten(
        _ request: ReceivedRequest,
        _ renewal: Renewal,
        _ attempt: RefreshAttempt,
        isReplay: Bool
    ) -> ReceivedRequest? {
        let buffer = request.bytes
        let bytes = buffer.readableBytesUInt8Span
        var rewriter = HeadRewriter()
        rewriter.replaceAll(attempt.token, with: renewal.accessToken, request.head, bytes)
        rewriter.replaceCookies(renewal.cookies, request.head, bytes)
        if isReplay { rewriter.dropExpectation(request.head) }
        return read(rewriter.rewritten(request.head, bytes))
    }

    /// Parses a request whose head the gateway has changed; nil if it is no longer valid.
    func read(_ bytes: ByteBuffer) -> ReceivedRequest? {
        let request = worker.loop.spares.requests.take()
        if case .complete = request.parse(bytes, worker.parser) { return request }
        worker.loop.spares.requests.giveBack(request)
        return nil
    }

    // MARK: Whether new tokens are for this caller

    /// Why they are not (also recorded); nil if they are.
    private func refusal(of renewal: Renewal, _ attempt: RefreshAttempt) -> Refusal? {
        guard isBoundAlike(renewal, attempt) else {
            note(.unavailable, .noRefreshToken)
            return .tokenExpired
        }
        guard isGood(renewal, attempt) else {
            noteRefusal(.revoked, attempt)
            return .tokenRevoked
        }
        return nil
    }

    /// Whether the new token is bound to the same key as the old one. A token that was renewed for another key is not
    /// for this request; the session itself stays valid.
    private func isBoundAlike(_ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        Confirmation(renewal.principal.claims) == attempt.caller.confirmation
    }

    /// Whether the tokens are the caller's and the session still exists: it may have been revoked, or signed out,
    /// during the refresh.
    private func isGood(_ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        guard let tenant, SameBytes.are(renewal.principal.issuer, attempt.caller.principal.issuer),
            SameBytes.are(renewal.principal.subject, attempt.caller.principal.subject),
            !widens(renewal, attempt, tenant)
        else { return false }
        let now = worker.unixTime(at: worker.now())
        let set = tenant.runtime.revocations.set
        return !set.isRevoked(attempt.caller.marks, at: now)
            && !set.isRevoked(RevocationMarks(renewal.principal), at: now)
    }

    /// Whether a narrowed token of the tenant's own issuer (RFC 6749 section 6) would get a wider one that came from
    /// another token of its session.
    private func widens(_ renewal: Renewal, _ attempt: RefreshAttempt, _ tenant: ServedTenant) -> Bool {
        guard case .builtIn? = tenant.runtime.refreshing?.rules.call.strategy else { return false }
        let granted = attempt.caller.principal.scopes
        return !renewal.principal.scopes.allSatisfy(granted.contains)
    }

    // MARK: The client's response

    /// Adds the new tokens to the response.
    private func deliver(_ renewal: Renewal, _ attempt: RefreshAttempt) {
        deliver(renewal.delivered, attempt.way)
        let memory = attempt.caller.refreshMemory ?? RefreshMemory()
        memory.remember(renewal, gotWith: attempt.refreshToken)
        attempt.caller.refreshMemory = memory
    }

    /// Adds tokens to the response.
    func deliver(_ tokens: DeliveredTokens, _ way: RefreshDeliveryWay) {
        let now = worker.unixTime(at: worker.now())
        let grace = tenant?.runtime.verification.refreshGrace ?? 0
        // With CORS rules, these expose the field.
        let exposes = tenant?.runtime.browsers.crossOrigin == nil
        setDelivery(DeliveryFields.delivering(tokens, way, exposes: exposes, grace: grace, at: now))
    }

    private func noteRefusal(_ trouble: RefreshFailure, _ attempt: RefreshAttempt) {
        note(.refused, trouble)
        setDelivery(DeliveryFields.clearing(attempt.way))
    }

    /// Replaces the fields of an earlier delivery. The nonce for the client's next proof stays.
    private func setDelivery(_ fields: [HeaderField]) {
        style.fields = fields
        addFreshNonce()
    }

    /// Adds the nonce for the client's next proof, once.
    func addFreshNonce() {
        guard let nonce = decisionContext.freshNonce else { return }
        let fields = ProofNonceField.unkeptFields(nonce)
        if !style.fields.suffix(fields.count).elementsEqual(fields) { style.fields += fields }
    }

    private func note(_ event: RefreshNote.Event, _ trouble: RefreshFailure) {
        record.refresh = RefreshNote(event: event, reason: trouble.rawValue)
    }

    // MARK: Behind the response

    /// The response is out: refreshes the token that expires soon, for the next request.
    func refreshAhead() {
        guard let request = dueRefresh else { return }
        dueRefresh = nil
        if let caller = record.user.caller { worker.refreshAhead(request, caller) }
    }
}
