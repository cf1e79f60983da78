import NIOCore
import Time

/// Waits for revocations to be loaded and for contact with the store, each in order of arrival.
struct RevocationWaits {
    private var forLoad: [EventLoopPromise<Void>] = []
    private var forContact: [(since: MonotonicTime, promise: EventLoopPromise<Void>)] = []

    mutating func addForLoad(_ promise: EventLoopPromise<Void>) { forLoad.append(promise) }

    /// - Parameter since: The contact has to be at this time or later.
    mutating func addForContact(since: MonotonicTime, _ promise: EventLoopPromise<Void>) {
        forContact.append((since, promise))
    }

    /// Everything is loaded.
    mutating func loaded() {
        for waiting in forLoad { waiting.succeed() }
        forLoad = []
    }

    /// The loops have got the contact of this time.
    mutating func contact(at time: MonotonicTime) {
        for waiting in forContact where waiting.since <= time { waiting.promise.succeed() }
        forContact.removeAll { $0.since <= time }
    }
}
