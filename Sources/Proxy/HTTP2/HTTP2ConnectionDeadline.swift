import Upstream

/// A connection's own deadline, and what it is for.
struct HTTP2ConnectionDeadline {
    enum Awaited: Equatable {
        case nothing
        case request
        case restOfHeaders
        /// The client is to take what waits for it. A single octet now and then gives it no more time; `sent` is what was
        /// sent when the time began.
        case answersTaken(sent: UInt64)
    }

    var awaited = Awaited.request
    let timer = WheelTimer()

    /// ``Awaited/answersTaken(sent:)``, from now on if it was not awaited before.
    func answersTaken(sent: UInt64) -> Awaited {
        if case .answersTaken = awaited { awaited } else { .answersTaken(sent: sent) }
    }
}
