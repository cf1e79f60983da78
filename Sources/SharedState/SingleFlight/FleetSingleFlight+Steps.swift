import Store
import Time

/// Why there is no value: the flight's own reasons, and those of its use.
protocol FleetFlightObstacle: Sendable, Equatable {
    /// The flight's time is up.
    static var late: Self { get }
    /// The flight's time is up, and the provider did not answer.
    static var timeout: Self { get }
    static var storeUnavailable: Self { get }
}

/// The steps of a flight, and their outcomes.
extension FleetSingleFlight {
    enum Step: Sendable, Equatable {
        /// Read the store: ``lookedUp(_:at:)``.
        case lookUp
        /// Wait for a call slot: ``granted(at:)``. A flight that waits for another instance releases its slot.
        case enqueue
        /// Request the lease: ``acquired(_:at:)``.
        case acquire
        /// Wait for the announcement of the lease's holder, without a call slot: ``pauseEnded(at:)``.
        case wait(until: MonotonicTime)
        case pause(until: MonotonicTime)
        /// Call the provider, and check its response: ``called(_:at:)``.
        case call
        /// Write the value to the store, if the lease is still held: ``published(_:at:)``.
        case publish(Value, Lease)
        case finish(Ending)
        /// The step under way goes on.
        case none
    }

    /// The store's entry, as far as it concerns the flight's request.
    enum Lookup: Sendable, Equatable {
        case found(Value)
        /// Another instance has failed, for a reason that may pass.
        case failed(Value)
        case nothing
        /// A reason against a call, but not against the value of a call already made.
        case obstacle(Obstacle)
        /// The store has a later value, which is for other requests.
        case superseded(Obstacle)
        /// The store did not answer.
        case away
        /// The store has not answered for longer than any call waits: another try would be of no use now.
        case absent
    }

    enum Grant: Sendable, Equatable {
        case held(Lease)
        case busy
        case away
        case absent
    }

    enum CallOutcome: Sendable, Equatable {
        /// For all instances.
        case value(Value)
        /// The value for all instances, unless another call may succeed and there is time for one.
        case failed(Value, mayRetry: Bool)
        /// For this flight only.
        case obstacle(Obstacle)
        case cancelled
    }

    enum Publishing: Sendable, Equatable {
        case done
        /// The lease was lost; nothing was written after that.
        case lost
        case away
        /// It can never be written.
        case impossible
    }

    /// The result for the waiting requests.
    struct Ending: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            /// From this flight or from another instance.
            case value(Value)
            /// For these requests only.
            case obstacle(Obstacle)
            case cancelled
        }

        var content: Content
        /// Whether this flight made the call.
        var isOwn = false
        /// Whether the value is still to be written to the store.
        var isUnpublished = false
        /// Held until the unpublished value is written, so that no other instance calls before.
        var lease: Lease?
    }
}
