import Authorization
import Counting
import HTTPCore
import NIOCore
import SharedState
import Tenants
import Time
import Verification

/// Refreshing in the course of one request: before it is forwarded, after the backend's 401, or behind its response.
extension RequestExchange {
    // MARK: On the way to the backend

    /// Keeps what a refresh may need of a granted request, and looks whether its token is due for one.
    ///
    /// - Returns: Nil where the backend's 401 leads to no refresh.
    func prepareRefresh(_ grant: Grant, _ bytes: Span<UInt8>) -> KeptRequest? {
        guard let caller = grant.caller, let refreshing = grant.request.tenant.refreshing else { return nil }
        if worker.unixTime(at: record.startedAt) >= caller.lifetime.dueFrom {
            deliverOrNote(caller, grant.request, bytes)
        }
        guard refreshing.rules.onUnauthorized else { return nil }
        return KeptRequest(
            grant.request,
            limit: refreshing.replayBytes,
            room: worker.replayRoom,
            spare: worker.loop.spares.requests
        )
    }

    /// A token that expires soon: the new one goes along with the response, or is got behind it.
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

    /// Has new tokens got for a caller whose token has expired; the request waits, undecided. Gives whether there is room
    /// for it.
    func refreshExpired(_ caller: Caller, _ routed: RoutedRequest, _ bytes: Span<UInt8>) -> Bool {
        guard let (request, attempt) = refreshRequest(.expired, caller, routed, bytes) else {
            // Nothing to refresh with, or no way to hand over what is new.
            worker.decideSoon(self)
            return true
        }
        guard worker.refresh(request, for: self) else { return false }
        record.trace?.refreshes(.expired, at: worker.now())
        _ = advance { $0.waitsForRefresh(attempt) }
        return true
    }

    // MARK: The backend's 401

    /// Has new tokens got for the request.
    ///
    /// - Returns: Nil where the 401 does not wait for them.
    func beginRefresh(_ kept: KeptRequest) -> ResponseHold.Begun? {
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

    /// - Returns: Nil for a request that must not lead to a refresh, has nothing to refresh by, or whose client has no
    ///   way to get new tokens.
    private func refreshRequest(
        _ trigger: RefreshRequest.Trigger,
        _ caller: Caller,
        _ routed: RoutedRequest,
        _ bytes: Span<UInt8>
    ) -> (RefreshRequest, RefreshAttempt)? {
        let head = routed.head
        guard let refreshing = routed.tenant.refreshing,
            !routed.request.inAnyReading(bytes, { refreshing.isExempt($0) }),
            let (source, range) = refreshing.findToken(head, bytes, query: routed.target.query),
            let way = refreshing.delivery(for: source)
        else { return nil }
        var refreshToken: [UInt8]?
        if case .cookie(let name) = refreshing.rules.source {
            // Any page can fill these two: such a token does not say whose cookie came along, and would spend it.
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
        let patience = routed.tenant.tenant.backend.timeouts.response.nanosecondsClamped
        let host = routed.target.authority ?? head.host.map { head.fields[$0].value } ?? 0..<0
        let request = RefreshRequest(
            tenant: routed.tenant.index,
            trigger: trigger,
            accessToken: token,
            principal: caller.principal,
            refreshToken: refreshToken,
            host: bytes.copy(host),
            deadline: worker.now() + patience
        )
        return (request, RefreshAttempt(caller: caller, token: token, refreshToken: refreshToken, way: way))
    }

    // MARK: What came of it

    /// Told once of each refresh that was asked for.
    func refreshed(_ outcome: RefreshOutcome) {
        guard let refresh = lifecycle.refresh else { return }
        record.trace?.refreshed(outcome, at: worker.now())
        switch refresh {
        case .beforeDecision(let attempt, let request): decideRefreshed(outcome, attempt, request)
        case .afterResponse(let attempt, let kept): replayRefreshed(outcome, attempt, kept)
        }
    }

    /// The request whose token had expired goes on its way with a new one, or not.
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

    /// The backend's 401 is answered by the same request with a new token, or goes to the client.
    private func replayRefreshed(_ outcome: RefreshOutcome, _ attempt: RefreshAttempt, _ kept: KeptRequest) {
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

    /// The same request once more, with the new token. What the backend says to that is the response. Gives whether it
    /// can be made.
    private func replay(_ kept: KeptRequest, _ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        guard let request = rewritten(kept.request.received, renewal, attempt, isReplay: true) else { return false }
        upstream.abandon()
        let content = kept.body == .whole ? ContentAtHand(kept) : nil
        guard advance({ $0.replays(content) }) != nil else { return true }
        // Else a backend that always says 401 would have the token refreshed for ever.
        decisionContext.steps.beginWithoutRefresh()
        decideAgain(request)
        return true
    }

    /// The request with new tokens, read anew; nil where it cannot be.
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

    /// A request of which the gateway has changed the head; nil where it is none any more.
    func read(_ bytes: ByteBuffer) -> ReceivedRequest? {
        let request = worker.loop.spares.requests.take()
        if case .complete = request.parse(bytes, worker.parser) { return request }
        worker.loop.spares.requests.giveBack(request)
        return nil
    }

    // MARK: Whether new tokens are for this caller

    /// Why they are not, which is noted; nil where they are.
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

    /// Whether the new token is bound to what the old one is. What a session was renewed for with another key is not
    /// for this one; the session itself is as good as before.
    private func isBoundAlike(_ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        Confirmation(renewal.principal.claims) == attempt.caller.confirmation
    }

    /// Whether the tokens are the caller's, and the session is still on: it may have been revoked, or signed out, while
    /// new tokens were got for it.
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

    /// Whether a token of the tenant's own issuer that was narrowed (RFC 6749 section 6) would get a wider one, which
    /// another token of its session has led to.
    private func widens(_ renewal: Renewal, _ attempt: RefreshAttempt, _ tenant: ServedTenant) -> Bool {
        guard case .builtIn? = tenant.runtime.refreshing?.rules.call.strategy else { return false }
        let granted = attempt.caller.principal.scopes
        return !renewal.principal.scopes.allSatisfy(granted.contains)
    }

    // MARK: What the client is told

    /// Has the client told of its new tokens with the response.
    private func deliver(_ renewal: Renewal, _ attempt: RefreshAttempt) {
        let now = worker.unixTime(at: worker.now())
        let grace = tenant?.runtime.verification.refreshGrace ?? 0
        // Where there are CORS rules, they tell of the field.
        let exposes = tenant?.runtime.browsers.crossOrigin == nil
        tell(DeliveryFields.delivering(renewal, attempt.way, exposes: exposes, grace: grace, at: now))
        let memory = attempt.caller.refreshMemory ?? RefreshMemory()
        memory.remember(renewal, gotWith: attempt.refreshToken)
        attempt.caller.refreshMemory = memory
    }

    private func noteRefusal(_ trouble: RefreshFailure, _ attempt: RefreshAttempt) {
        note(.refused, trouble)
        tell(DeliveryFields.clearing(attempt.way))
    }

    /// In the place of what an earlier delivery said. The nonce for the client's next proof stays.
    private func tell(_ fields: [HeaderField]) {
        style.fields = fields
        addFreshNonce()
    }

    /// Has the client told of the nonce for its next proof, once.
    func addFreshNonce() {
        guard let nonce = decisionContext.freshNonce else { return }
        let fields = ProofNonceField.unkeptFields(nonce)
        if !style.fields.suffix(fields.count).elementsEqual(fields) { style.fields += fields }
    }

    private func note(_ event: RefreshNote.Event, _ trouble: RefreshFailure) {
        record.refresh = RefreshNote(event: event, reason: trouble.rawValue)
    }

    // MARK: Behind the response

    /// The response is out: the token that expires soon is refreshed for the next one.
    func refreshAhead() {
        guard let request = dueRefresh else { return }
        dueRefresh = nil
        if let caller = record.user.caller { worker.refreshAhead(request, caller) }
    }
}
