import Upstream

/// A connection's own deadline, and its reason.
struct HTTP2ConnectionDeadline {
    enum Awaited: Equatable {
        case nothing
        case request
        case restOfHeaders
        /// The client must take the output held for it. A single octet now and then gives it no more time; `sent` is
        /// the octet count when the time began.
        case answersTaken(sent: UInt64)
    }

    var awaited = Awaited.request
    let timer = WheelTimer()

    /// ``Awaited/answersTaken(sent:)``, from now on unless it was already awaited.
    func answersTaken(sent: UInt64) -> Awaited {
        if case .answersTaken = awaited { awaited } else { .answersTaken(sent: sent) }
    }
}
