import Adoption
import Authorization
import Counting
import HTTPCore
import NIOCore
import SharedState
import Tenants
import Time

/// Sessions for those who come with a token of a former issuer (`refresh.adopt`): the request is forwarded with that
/// token as ever, and its response brings the tokens of a session of the tenant's own.
extension RequestExchange {
    /// - Returns: Nil if the request must not lead to a session, or its client has no way to get the tokens.
    func adoptionAttempt(
        _ caller: Caller,
        _ refreshing: TenantRefreshing,
        _ routed: RoutedRequest,
        _ bytes: Span<UInt8>
    ) -> AdoptionAttempt? {
        let head = routed.head
        guard !head.hasUpgrade, !routed.request.inAnyReading(bytes, { refreshing.isExempt($0) }),
            let (source, _) = refreshing.findToken(
                head,
                bytes,
                query: routed.target.query,
                counted: decisionContext.severalTokens?.counted
            ),
            let way = refreshing.sessionDelivery(for: source, head, bytes), let peer
        else { return nil }
        let address = EndpointRequestReader.clientAddress(
            head,
            bytes,
            peer,
            trustedProxies: worker.settings.trustedProxies
        )
        var device: String?
        for index in 0..<head.fieldCount where bytes.isFieldName(head.fields[index].name, "user-agent") {
            device = String(decoding: bytes.copy(head.fields[index].value), as: UTF8.self)
        }
        let request = AdoptionRequest(
            tenant: routed.tenant.index,
            principal: caller.principal,
            device: device,
            clientAddress: address?.bytes ?? []
        )
        return AdoptionAttempt(request: request, caller: caller, way: way)
    }

    /// - Returns: Nil if the token is being exchanged for another request.
    func beginAdoption(_ attempt: AdoptionAttempt) -> ResponseHold.Begun? {
        guard worker.lastTick >= attempt.caller.adoptedFrom else { return nil }
        attempt.caller.adoptedFrom = .distantFuture
        worker.adopt(attempt, for: self)
        return .adoption(attempt)
    }

    /// The session is there, or there is none: the client gets its response in either case.
    ///
    /// - Returns: Whether the response brings the tokens of the session.
    func adopted(_ outcome: AdoptionOutcome) -> Bool {
        guard case .holding(let holding) = lifecycle.state, case .adoption(let attempt) = holding.hold else {
            return false
        }
        var isDelivered = false
        if case .adopted(let session) = outcome, isStillGood(attempt.caller) {
            deliver(session.tokens, attempt.way)
            record.refresh = RefreshNote(event: .adopted)
            isDelivered = true
        }
        resumeResponse()
        return isDelivered
    }

    /// Whether the caller's session was not ended meanwhile.
    private func isStillGood(_ caller: Caller) -> Bool {
        guard let tenant else { return false }
        let now = worker.unixTime(at: worker.now())
        return !tenant.runtime.revocations.set.isRevoked(caller.marks, at: now)
    }
}

extension Worker {
    /// Exchanges a token. What the exchange does not deliver is given back.
    func adopt(_ attempt: AdoptionAttempt, for exchange: RequestExchange) {
        let pending = NIOLoopBound(PendingAdoption(exchange, attempt.caller), eventLoop: eventLoop)
        Task { [eventLoop, controlPlane, request = attempt.request] in
            let outcome = await controlPlane.adopt(request)
            eventLoop.execute { pending.value.ended(outcome) }
        }
    }
}

/// A token that is being exchanged for an exchange, which may serve another request when that has ended.
private struct PendingAdoption {
    /// Seconds before a token whose session was adopted is asked about again: its client has new tokens by then.
    private static let restAfterAdoption = 120.0

    private let exchange: RequestExchange
    private let id: UInt64
    private let caller: Caller

    init(_ exchange: RequestExchange, _ caller: Caller) {
        self.exchange = exchange
        self.caller = caller
        id = exchange.id
    }

    func ended(_ outcome: AdoptionOutcome) {
        let worker = exchange.worker
        switch outcome {
        case .nothing(let seconds):
            caller.adoptedFrom = seconds.map { worker.lastTick + UInt64($0 * 1e9) } ?? .distantFuture
            if exchange.id == id { _ = exchange.adopted(outcome) }
        case .adopted(let session):
            caller.adoptedFrom = worker.lastTick + UInt64(Self.restAfterAdoption * 1e9)
            guard exchange.id != id || !exchange.adopted(outcome) else { return }
            caller.adoptedFrom = worker.lastTick
            Task { [controlPlane = worker.controlPlane] in await controlPlane.giveBack(session) }
        }
    }
}
