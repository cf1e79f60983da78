import HTTPCore
import NIOCore
import Tenants

/// Where a request stands whose success at the backend ends the caller's session.
enum SessionEnd {
    case notAsked
    /// The backend's answer will tell whether the caller is signed out.
    case due(Caller)
    /// It was a success, which the client is not told before the session is over for everybody.
    case underWay
    case done
}

/// What revocation does to requests that are under way.
extension ClientExchange {
    // MARK: Ending a session

    /// Whether the answer that has just begun has to wait: its server keeps it until ``ServerExchange/resumeAnswer()``.
    final func holdsAnswer(_ head: ResponseHead, _ bytes: Span<UInt8>) -> Bool {
        if let kept {
            if head.status == 401, holdsUnauthorized(kept) { return true }
            letGoOfRequest()
        }
        if capture != nil { lookAtCaptured(head, bytes) }
        if checkedSignIn != nil, holdsForRegistration(status: head.status) { return true }
        switch sessionEnd {
        case .notAsked, .done: return false
        case .underWay: return true
        case .due(let caller):
            guard 200..<300 ~= head.status, let tenant = record.tenant else {
                sessionEnd = .notAsked
                return false
            }
            sessionEnd = .underWay
            worker.endSession(of: caller, tenant, for: self)
            return true
        }
    }

    /// The session is over here.
    ///
    /// - Parameter isStored: Whether it is for everybody, and for good. If not the client is not told that it is: whoever
    ///   is told so can rely on it.
    final func sessionEnded(isStored: Bool) {
        guard case .underWay = sessionEnd else { return }
        sessionEnd = .done
        guard let server else { return }
        if isStored || record.tenant?.tenant.mode == .observe { return server.resumeAnswer() }
        abandonServer()
        refuse(.signOutNotStored)
        proceed()
    }

    /// The client leaves before the answer to a request that is to end its session: it wanted that, and the server may
    /// have done its part.
    final func endSessionUnseen() {
        guard case .due(let caller) = sessionEnd, case .answer = phase, exchange.awaitsAnswer,
            let tenant = record.tenant
        else { return }
        sessionEnd = .underWay
        worker.endSession(of: caller, tenant, for: self)
    }

    private var isRefreshing: Bool {
        if case .underWay = refreshStage { true } else { false }
    }

    private var isEndingSession: Bool {
        switch sessionEnd {
        case .notAsked, .due: false
        case .underWay, .done: true
        }
    }

    // MARK: Whose session was ended

    /// How long an exchange may go on after its caller was revoked before it counts as a long one.
    static let revokedGrace: UInt64 = 1_000_000_000

    /// Ends what is under way for a caller who was revoked: a tunnel at once, and whatever takes longer than
    /// ``revokedGrace``. The answer to the request that ended the session is let through.
    ///
    /// - Parameters:
    ///   - unixTime: Seconds.
    ///   - now: Monotonic nanoseconds.
    /// - Returns: Whether it has to be looked at again, because it is revoked and still under way.
    final func endIfRevoked(unixTime: Double, at now: UInt64) -> Bool {
        guard isInExchange, !isEndingSession, let tenant = record.tenant, let caller = record.caller,
            tenant.tenant.mode == .enforce, case .revoked = tenant.revocations.standing(of: caller, at: unixTime)
        else { return false }
        if let tunnel {
            tunnel.close(.sessionEnded)
            return false
        }
        guard now &- record.startedAt >= Self.revokedGrace else { return true }
        switch phase {
        // It is decided on again.
        case .deciding: break
        case .waitingForServer:
            answerLines = []
            refuseWaiting(.tokenRevoked)
        // The backend's 401 is there already, and waits for new tokens that nobody may have any more. It may be this
        // very refresh that has ended the session.
        case _ where isRefreshing && exchange.awaitsAnswer: worker.endRefresh(of: self)
        case _ where exchange.awaitsAnswer:
            abandonServer()
            answerLines = []
            refuse(.tokenRevoked, closing: true)
        default:
            abandonServer()
            flushAnswer()
            cut()
        }
        return false
    }
}
