import HTTPCore

extension ClientExchange {
    final func answer(_ preflight: Preflight) {
        record.outcome = .anonymous
        answer(OwnAnswer(status: 204, lines: preflight.lines))
    }

    /// Takes note of what becomes of the answer's fields, while the request's are at hand.
    final func prepareAnswer(_ tenant: TenantRuntime?, _ head: RequestHead, _ bytes: Span<UInt8>) {
        if let rules = tenant?.answerRules { answerShape = rules.shape(head, bytes, peer) }
    }
}
