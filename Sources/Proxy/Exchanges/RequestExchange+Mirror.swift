import Authorization
import HTTPCore
import NIOCore
import Tenants
import Upstream

/// The copy of a request for a mirror.
extension RequestExchange {
    /// Begins a copy if this request is chosen.
    ///
    /// - Parameters:
    ///   - rules: Of the request's route.
    ///   - bytes: Of the request.
    ///   - context: For the head as a server gets it.
    func beginMirror(
        _ rules: RouteForwarding.Mirror,
        _ grant: Grant,
        _ bytes: Span<UInt8>,
        _ tenant: ServedTenant,
        _ context: ForwardingContext
    ) {
        // Neither a replayed request, whose first copy is out, nor a tunnel.
        guard record.upstream.forwardedAt == .distantPast,
            !grant.request.head.hasUpgrade, isChosen(percent: rules.percent)
        else { return }
        let framing = grant.request.head.framing
        let limit = grant.request.limits.replayBytes
        if case .length(let length) = framing, length > limit { return dropMirror() }
        mirror = MirrorCopy(
            ForwardedHead(grant, bytes, context, in: ByteBuffer()),
            framing: framing,
            method: record.request.method,
            to: tenant.backends[rules.backend],
            limit: limit,
            worker.mirrors
        )
        if framing == .none { mirrorIsWhole() }
    }

    private func isChosen(percent: Double) -> Bool {
        percent >= 100 || Double(worker.loop.identifiers.next() >> 11) * 0x1p-53 * 100 < percent
    }

    func keepForMirror(_ piece: ByteBuffer) {
        if let mirror, !mirror.keep(piece) { dropMirror() }
    }

    /// The body is complete.
    func mirrorIsWhole() {
        guard let mirror else { return }
        self.mirror = nil
        if !mirror.send(on: worker.loop) { dropMirror() }
    }

    private func dropMirror() {
        mirror = nil
        if let tenant { worker.telemetry.counters.countDroppedMirror(tenant: tenant.index) }
    }
}
