import Counting
import HTTPCore
import NIOCore

/// Answers other proxies that ask whether they may pass a request on.
extension ClientExchange {
    /// Gives whether the request was such a question; then it is answered, or will be.
    final func isAnsweredAsQuestion(_ head: RequestHead, _ bytes: ByteBuffer) -> Bool {
        guard peer.isTrustedProxy else { return false }
        let span = bytes.readableBytesUInt8Span
        guard let question = ForwardAuthQuestion(head, span) else { return false }
        var asked = worker.allocator.buffer(capacity: head.length + 128)
        do throws(HTTPViolation) {
            try question.write(head, span, to: &asked)
        } catch {
            worker.logRequest(&record, head, span, isBehindProxy: true)
            refuse(Refusal(error))
            return true
        }
        ask(asked)
        return true
    }

    /// - Parameter asked: The head of the request that the question is about.
    private func ask(_ asked: ByteBuffer) {
        // What the proxy's own connection has shown is not the client's.
        let circumstances = Circumstances(peer: peer.withoutTLS)
        let serial = serial
        var hasWaited = false
        phase = .deciding
        let inquiry = Inquiry(
            asked,
            circumstances,
            forwardsAsReceived: true,
            // Whatever is no refusal lets the request pass.
            answersPreflights: false,
            worker: worker
        ) { [self] verdict, head in
            // The proxy may be gone, and the object serve another request.
            guard self.serial == serial, case .deciding = phase else { return }
            phase = .head
            answer(verdict, circumstances, head)
            guard hasWaited else { return }
            setReading(true)
            process()
        }
        inquiry.begin()
        hasWaited = true
        if self.serial == serial, case .deciding = phase { endWork(at: worker.now()) }
    }

    /// - Parameter asked: The head that was asked about, as the worker has it parsed; empty where it is none.
    private func answer(_ verdict: Inquiry.Verdict, _ circumstances: Circumstances, _ asked: Span<UInt8>) {
        let answer = ProxyAnswer(verdict)
        let head = worker.inquiryHead
        record.tenant = answer.tenant
        if !asked.isEmpty {
            record.askedMethod = CountedMethod(asked, head.method)
            worker.logRequest(&record, head, asked, isBehindProxy: true)
        }
        if case .granted(let grant) = verdict, case .refused(let code) = grant.outcome {
            worker.note(code, circumstances.observed, grant, record.id, head, asked)
        }
        switch answer {
        case .refuse(let refusal, _): refuse(refusal)
        case .pass(let pass):
            record.caller = pass.caller
            record.outcome = pass.outcome
            self.answer(OwnAnswer(status: 200, lines: pass.lines(record.id, freshNonce: circumstances.freshNonce)))
        case .preflight: refuse(.oursToServe)
        }
    }
}
