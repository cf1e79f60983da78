import Counting
import HTTPCore
import NIOCore
import SharedState
import Tenants
import Time
import Verification

/// Refreshing in the course of one request: before it is forwarded, after the backend's 401, or
/// behind its answer.
extension ClientExchange {
    final func beginRefreshing() {
        serial &+= 1
        refreshStage = .idle
    }

    /// The request is over, however it ended.
    final func endRefreshing() {
        serial &+= 1
        refreshStage = .done
        dueRefresh = nil
        bodyInHand = nil
        heldAnswer = nil
        checkedSignIn = nil
        signInHead = nil
        // The next answer on this connection may be another user's.
        if !answerLines.isEmpty { answerLines = [] }
        if answerShape != nil { answerShape = nil }
        dropCapture()
        letGoOfRequest()
    }

    /// No 401 of the backend can lead to the request's being made again any more.
    final func letGoOfRequest() {
        guard let kept else { return }
        self.kept = nil
        worker.takeBack(kept)
    }

    // MARK: On the way to the backend

    /// Keeps what a refresh may need of a granted request, and looks whether its token is due for one.
    final func prepareRefresh(_ grant: Grant, _ head: RequestHead, _ bytes: Span<UInt8>) {
        guard case .idle = refreshStage, let caller = grant.caller, let refreshing = grant.request.tenant.refreshing
        else { return }
        if refreshing.rules.onUnauthorized {
            let request = worker.spareRequest()
            request.keep(bytes.extracting(0..<head.length), head.framing, limit: refreshing.replayBytes)
            kept = request
        }
        if worker.unixTime(at: record.startedAt) >= caller.dueFrom {
            deliverOrNote(caller, grant.request, head, bytes)
        }
    }

    /// A token that expires soon: the new one goes along with the answer, or is got behind it.
    private func deliverOrNote(
        _ caller: Caller,
        _ routed: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) {
        let memory = caller.refreshMemory ?? RefreshMemory()
        caller.refreshMemory = memory
        memory.forgetOld(at: worker.lastTick)
        guard memory.renewal != nil || worker.lastTick >= memory.restUntil,
            let (request, attempt) = refreshRequest(.ahead, caller, routed, head, bytes)
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
    final func refreshExpired(
        _ caller: Caller,
        _ routed: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> Bool {
        guard let (request, attempt) = refreshRequest(.expired, caller, routed, head, bytes) else {
            // Nothing to refresh with, or no way to hand over what is new.
            worker.decideSoon(self)
            return true
        }
        guard worker.refresh(request, for: self) else { return false }
        record.trace?.refreshes(.expired, at: worker.now())
        refreshStage = .underWay(attempt)
        return true
    }

    // MARK: The backend's 401

    /// Whether the 401 that has just begun waits for new tokens.
    final func holdsUnauthorized(_ kept: KeptRequest) -> Bool {
        switch refreshStage {
        case .done: return false
        case .underWay: return true
        case .idle: break
        }
        refreshStage = .done
        dueRefresh = nil
        let head = worker.keptHead
        let received = kept.head
        let bytes = received.readableBytesUInt8Span
        guard let caller = record.caller,
            worker.parser.parse(bytes, into: head) == .complete,
            case .routed(let routed) = worker.serving.router.route(head, bytes),
            let (request, attempt) = refreshRequest(.unauthorized, caller, routed, head, bytes)
        else { return false }
        guard worker.refresh(request, for: self) else {
            note(.unavailable, .overloaded)
            return false
        }
        record.trace?.refreshes(.unauthorized, at: worker.now())
        refreshStage = .underWay(attempt)
        return true
    }

    /// - Returns: Nil for a request that must not lead to a refresh, has nothing to refresh by, or whose client has no
    ///   way to get new tokens.
    private func refreshRequest(
        _ trigger: RefreshRequest.Trigger,
        _ caller: Caller,
        _ routed: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> (RefreshRequest, RefreshAttempt)? {
        guard let refreshing = routed.tenant.refreshing,
            !worker.serving.router.inAnyReading(routed, bytes, { refreshing.isExempt($0) }),
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
            guard
                case .token(let value, _) = TokenFinder.find(
                    head,
                    bytes,
                    query: routed.target.query,
                    in: [.cookie(name: name)]
                )
            else { return nil }
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
            deadline: worker.now() &+ patience
        )
        return (request, RefreshAttempt(caller: caller, token: token, refreshToken: refreshToken, way: way))
    }

    // MARK: What came of it

    /// Told once of each refresh that was asked for.
    final func refreshed(_ outcome: RefreshOutcome) {
        guard case .underWay(let attempt) = refreshStage else { return }
        refreshStage = .done
        record.trace?.refreshed(outcome, at: worker.now())
        if case .deciding = phase { return decideRefreshed(outcome, attempt) }
        guard server != nil || heldAnswer != nil, exchange.awaitsAnswer else { return }
        switch outcome {
        case .renewed(let renewal, let isShared):
            guard isBoundAlike(renewal, attempt) else {
                note(.unavailable, .noRefreshToken)
                break
            }
            guard isGood(renewal, attempt) else {
                noteRefusal(.revoked, attempt)
                break
            }
            deliver(renewal, attempt)
            if let kept, kept.isWhole, exchange.hasWholeRequest {
                record.refresh = RefreshNote(event: .replayed, isShared: isShared)
                return replay(kept, renewal, attempt)
            }
            let reason = kept?.body == .given ? "body_too_large" : "body_not_received"
            record.refresh = RefreshNote(event: .notReplayable, reason: reason, isShared: isShared)
        case .refused(let trouble): noteRefusal(trouble, attempt)
        case .unavailable(let trouble): note(.unavailable, trouble)
        }
        letGoOfRequest()
        passHeldAnswer()
    }

    // MARK: The answer that waits

    /// Whether an answer that waits is taken from the server, if it is there as a whole.
    final var takesHeldAnswers: Bool {
        guard case .underWay = refreshStage else { return false }
        return exchange.hasWholeRequest
    }

    /// - Parameter bytes: The answer from its head to its end.
    final func takeHeldAnswer(_ bytes: ByteBuffer) {
        serverSpoke()
        heldAnswer = bytes
        server = nil
    }

    /// The backend's answer goes to the client after all.
    private func passHeldAnswer() {
        guard let bytes = heldAnswer else {
            server?.resumeAnswer()
            return
        }
        heldAnswer = nil
        let head = worker.responseHead
        guard worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) == .complete else {
            refuse(.backendBroke)
            return proceed()
        }
        let (length, framing) = (head.length, head.framing(answeringHead: record.method == .head))
        answerBegan(head, bytes.readableBytesUInt8Span, framing)
        if length < bytes.readableBytes { answerBody(bytes, length..<bytes.readableBytes) }
        _ = completeAnswer(serverKeepsAlive: false, trailers: [], at: worker.now())
        if case .closed = phase { return }
        proceed()
    }

    /// The request whose token had expired goes on its way with a new one, or not.
    private func decideRefreshed(_ outcome: RefreshOutcome, _ attempt: RefreshAttempt) {
        switch outcome {
        case .renewed(let renewal, let isShared):
            guard isBoundAlike(renewal, attempt) else {
                note(.unavailable, .noRefreshToken)
                return refuseUndecided(.tokenExpired)
            }
            guard isGood(renewal, attempt) else {
                noteRefusal(.revoked, attempt)
                return refuseUndecided(.tokenRevoked)
            }
            guard let bytes = undecided,
                let head = rewritten(bytes.readableBytesUInt8Span, renewal, attempt, isReplay: false)
            else { return refuseUndecided(.tokenExpired) }
            undecided = head
            allowedSteps = .all.subtracting(.refresh)
            deliver(renewal, attempt)
            record.refresh = RefreshNote(event: .renewed, isShared: isShared)
            decideAgain()
        case .refused(let trouble):
            noteRefusal(trouble, attempt)
            refuseUndecided(trouble == .revoked ? .tokenRevoked : .tokenExpired)
        case .unavailable(let trouble):
            note(.unavailable, trouble)
            refuseUndecided(Refusal.withoutNewToken(trouble))
        }
    }

    private func refuseUndecided(_ refusal: Refusal) {
        undecided = nil
        phase = .head
        refuse(refusal)
        proceed()
    }

    /// The same request once more, with the new token. What the backend says to that is the answer.
    private func replay(_ kept: KeptRequest, _ renewal: Renewal, _ attempt: RefreshAttempt) {
        let received = kept.head
        guard let head = rewritten(received.readableBytesUInt8Span, renewal, attempt, isReplay: true) else {
            return passHeldAnswer()
        }
        abandonServer()
        heldAnswer = nil
        if kept.body == .whole { bodyInHand = kept.takeBody() }
        handshake = nil
        allowedSteps = .all.subtracting(.refresh)
        undecided = head
        phase = .deciding
        decideAgain()
    }

    private func rewritten(
        _ bytes: Span<UInt8>,
        _ renewal: Renewal,
        _ attempt: RefreshAttempt,
        isReplay: Bool
    ) -> ByteBuffer? {
        let head = worker.keptHead
        guard worker.parser.parse(bytes, into: head) == .complete else { return nil }
        var rewriter = HeadRewriter()
        rewriter.replaceAll(attempt.token, with: renewal.accessToken, head, bytes)
        rewriter.replaceCookies(renewal.cookies, head, bytes)
        if isReplay { rewriter.dropExpectation(head) }
        return rewriter.rewritten(head, bytes)
    }

    /// Whether the new token is bound to what the old one is. What a session was renewed for with another key is not
    /// for this one; the session itself is as good as before.
    private func isBoundAlike(_ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        Confirmation(renewal.principal.claims) == attempt.caller.confirmation
    }

    /// Whether the tokens are the caller's, and the session is still on: it may have been revoked, or signed out, while
    /// new tokens were got for it.
    private func isGood(_ renewal: Renewal, _ attempt: RefreshAttempt) -> Bool {
        guard let tenant = record.tenant,
            SameBytes.are(renewal.principal.issuer, attempt.caller.principal.issuer),
            SameBytes.are(renewal.principal.subject, attempt.caller.principal.subject),
            !widens(renewal, attempt, tenant)
        else { return false }
        let now = worker.unixTime(at: worker.now())
        let set = tenant.revocations.set
        return !set.isRevoked(attempt.caller.marks, at: now)
            && !set.isRevoked(RevocationMarks(renewal.principal), at: now)
    }

    /// Whether a token of the tenant's own issuer that was narrowed (RFC 6749 section 6) would get a wider one, which
    /// another token of its session has led to.
    private func widens(_ renewal: Renewal, _ attempt: RefreshAttempt, _ tenant: TenantRuntime) -> Bool {
        guard case .builtIn? = tenant.refreshing?.rules.call.strategy else { return false }
        let granted = attempt.caller.principal.scopes
        return !renewal.principal.scopes.allSatisfy(granted.contains)
    }

    /// Has the client told of its new tokens with the answer.
    private func deliver(_ renewal: Renewal, _ attempt: RefreshAttempt) {
        let now = worker.unixTime(at: worker.now())
        let grace = record.tenant?.refreshGrace ?? 0
        // Where there are CORS rules, they tell of the field.
        let exposes = record.tenant?.crossOrigin == nil
        tell(DeliveryFields.lines(renewal, attempt.way, exposes: exposes, grace: grace, at: now))
        let memory = attempt.caller.refreshMemory ?? RefreshMemory()
        memory.remember(renewal, gotWith: attempt.refreshToken)
        attempt.caller.refreshMemory = memory
    }

    private func noteRefusal(_ trouble: RefreshTrouble, _ attempt: RefreshAttempt) {
        note(.refused, trouble)
        tell(DeliveryFields.clearing(attempt.way))
    }

    /// In the place of what an earlier delivery said. The nonce for the client's next proof stays.
    private func tell(_ lines: [UInt8]) {
        answerLines = lines
        addFreshNonce()
    }

    /// Has the client told of the nonce for its next proof, once.
    final func addFreshNonce() {
        guard let nonce = circumstances.freshNonce else { return }
        let lines = ProofNonceField.lines(nonce)
        if !answerLines.suffix(lines.count).elementsEqual(lines) { answerLines += lines }
    }

    private func note(_ event: RefreshNote.Event, _ trouble: RefreshTrouble) {
        record.refresh = RefreshNote(event: event, reason: trouble.rawValue)
    }

    // MARK: Behind the answer

    /// The answer is out: the token that expires soon is refreshed for the next one.
    final func refreshAhead(_ request: RefreshRequest) {
        dueRefresh = nil
        guard let caller = record.caller else { return }
        worker.refreshAhead(request, caller)
    }
}

extension Refusal {
    /// What a client gets whose token has expired and could not be refreshed for the moment. Where trying again can help,
    /// it is not told that its session is over.
    static func withoutNewToken(_ trouble: RefreshTrouble) -> Refusal {
        switch trouble {
        case .overloaded: .overloaded
        case .network, .providerFailed, .timeout, .late:
            Refusal(
                .backendUnavailable,
                status: 503,
                detail: "the token has expired, and a new one cannot be got at the moment",
                retryAfterSeconds: 1
            )
        case .storeUnavailable:
            Refusal(
                .storeUnavailable,
                status: 503,
                detail: "the token has expired, and a new one cannot be got at the moment",
                retryAfterSeconds: 1
            )
        default: .tokenExpired
        }
    }
}

extension Span where Element == UInt8 {
    func copy(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBufferPointer(Array.init)
    }
}
