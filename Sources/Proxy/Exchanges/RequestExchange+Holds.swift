import Authorization
import HTTPCore
import IdentityProvider
import NIOCore
import SharedState
import Tenants
import Time
import Upstream

/// The holds of a response, in the order of ``ResponseHolds/next(_:)``: begins each and continues after it. The
/// hold for a refresh is in `+Refresh`.
extension RequestExchange {
    /// What the response to a granted request may have to wait for.
    ///
    /// - Parameters:
    ///   - kept: The request, if a refresh may follow.
    ///   - adoption: Nil for nearly all.
    func holds(
        _ grant: Grant,
        _ kept: ReplayableRequest?,
        _ adoption: AdoptionAttempt?,
        _ bytes: Span<UInt8>
    ) -> ResponseHolds {
        let capturesTokens = tenant?.capturesTokens == true
        // The common case.
        if kept == nil, !capturesTokens, grant.signsOut == nil, decisionContext.signIn == nil, adoption == nil {
            return .none
        }
        return ResponseHolds(
            refresh: kept,
            capture: capturesTokens ? captureRule(grant.request, bytes) : nil,
            registration: decisionContext.signIn?.registers,
            signOut: grant.signsOut,
            adoption: adoption
        )
    }

    func holds(_ response: ReceivedResponse) -> Bool {
        guard lifecycle.hasHolds else { return false }
        let summary = ResponseSummary(response)
        while let hold = advance({ $0.nextHold(summary) }) {
            guard let tenant else {
                failInternally("a response that waits, of no tenant")
                return true
            }
            guard let begun = begin(hold, tenant) else { continue }
            _ = advance { $0.holdBegan(begun) }
            return true
        }
        return false
    }

    /// - Returns: What the response waits for; nil if it can go on.
    private func begin(_ hold: ResponseHold, _ tenant: ServedTenant) -> ResponseHold.Begun? {
        switch hold {
        case .refresh(let kept): return beginRefresh(kept)
        case .registration(let identity):
            register(identity, tenant)
            return .registration
        case .signOut(let callers):
            endSessions(of: callers, tenant)
            return .signOut
        case .adoption(let attempt): return beginAdoption(attempt)
        case .capture(let rule):
            let buffer = TokenCaptureBuffer(rule, worker.replayRoom)
            _ = advance { $0.gathers(in: buffer) }
            return nil
        }
    }

    // MARK: The held response

    var takesHeldResponse: Bool { lifecycle.takesHeldResponse }

    func takeHeldResponse(_ response: ReceivedResponse) {
        // Release the server's connection first: the response is complete, and other requests can use the connection.
        upstream.end()
        _ = advance { $0.heldResponseTaken(response) }
    }

    /// Sends the response to the client, or starts its next hold.
    func resumeResponse() {
        switch advance({ $0.holdEnded() }) {
        case nil: break
        case .atServer: upstream.server?.resumeResponse()
        case .here(let response):
            let bytes = response.bytes
            responseStarted(response, response.head.framing(answeringHead: record.request.method == .head))
            guard lifecycle.isResponding else { return }
            responseBody(bytes, response.head.length..<bytes.readableBytes)
            completeResponse(trailers: [], at: worker.now())
            worker.loop.spares.responses.giveBack(response)
            goOn()
        }
    }

    // MARK: Registration

    /// Records that the backend has admitted this account.
    private func register(_ identity: ProviderIdentity, _ tenant: ServedTenant) {
        let index = tenant.index
        worker.run(for: self) {
            await $0.register(index, identity)
        } then: { exchange, _ in
            exchange.registered()
        }
    }

    private func registered() {
        guard case .holding(let holding) = lifecycle.state, case .registration = holding.hold else { return }
        resumeResponse()
    }

    // MARK: Sign-out

    /// Revokes the tokens and the sessions of callers who have signed out.
    func endSessions(of callers: [Caller], _ tenant: ServedTenant) {
        let now = worker.unixTime(at: worker.now())
        let revocations = callers.flatMap { SignOut.revocations(of: $0.principal, tenant.tenant, at: now) }
        worker.run(for: self) {
            await $0.endSession(revocations)
        } then: {
            $0.sessionEnded(isStored: $1)
        }
    }

    /// The session is revoked on this instance.
    ///
    /// - Parameter isStored: Whether the revocation is in the store, and so permanent and in force on all instances. If
    ///   not, the client gets a refusal: it must not rely on being signed out.
    private func sessionEnded(isStored: Bool) {
        guard case .holding(let holding) = lifecycle.state, case .signOut = holding.hold else { return }
        if isStored || tenant?.tenant.mode == .observe { return resumeResponse() }
        refuse(.signOutNotStored)
        goOn()
    }

    // MARK: Capture

    /// The capture rule that matches any reading of the request's path, which may be ambiguous; nil if none does.
    private func captureRule(_ routed: RoutedRequest, _ bytes: Span<UInt8>) -> TokenCapture? {
        guard let refreshing = routed.tenant.refreshing else { return nil }
        var rule: TokenCapture?
        _ = routed.request.inAnyReading(bytes) { path in
            rule = refreshing.capture(path)
            return rule != nil
        }
        return rule
    }

    /// Whether the end of the response waits until its tokens are stored.
    func holdsEnd(trailers: [UInt8]) -> Bool {
        guard let tenant, let (access, refresh) = lifecycle.gatheredTokens() else {
            passGathered()
            return false
        }
        let now = worker.unixTime(at: worker.now())
        guard let principal = try? tenant.runtime.verification.verifier.verify(access, at: now) else {
            worker.loop.loggers.refresh.warning(
                "a refresh token is not kept: the access token beside it is not one that the tenant accepts",
                metadata: ["tenant": "\(tenant.tenant.name)"]
            )
            passGathered()
            return false
        }
        let tokens = CapturedTokens(
            tenant: tenant.index,
            accessToken: access,
            principal: principal,
            refreshToken: refresh
        )
        worker.run(for: self) {
            await $0.capture(tokens)
        } then: { exchange, _ in
            exchange.captureEnded()
        }
        _ = advance { $0.holdBegan(.capture(trailers: trailers)) }
        return true
    }

    /// The tokens are stored, or cannot be: the client gets its response in either case.
    private func captureEnded() {
        guard let (content, trailers) = advance({ $0.captureEnded() }) else { return }
        write(content, 0..<content.readableBytes)
        completeResponse(trailers: trailers, at: worker.now())
        goOn()
    }
}

extension ResponseSummary {
    fileprivate init(_ response: ReceivedResponse) {
        let bytes = response.bytes
        let span = bytes.readableBytesUInt8Span
        var isJSON = false
        var isEncoded = false
        for index in 0..<response.head.fieldCount {
            let field = response.head.fields[index]
            if span.isFieldName(field.name, "content-type") {
                isJSON = Self.isJSON(span.extracting(field.value))
            } else if span.isFieldName(field.name, "content-encoding") {
                isEncoded = true
            }
        }
        self.init(status: response.head.status, isReadableJSON: isJSON && !isEncoded)
    }

    /// Whether a media type names JSON, as `application/json` and those with `+json` do; case and parameters are ignored.
    static func isJSON(_ type: Span<UInt8>) -> Bool {
        var start = 0
        while start + 4 <= type.count, type[start] != UInt8(ascii: ";") {
            if type.isCaseInsensitively("json", start..<(start + 4)) { return true }
            start += 1
        }
        return false
    }
}
