import Store
import Time

/// Why there is no value. Some reasons are the flight's own; the others are its user's.
protocol FleetFlightObstacle: Sendable, Equatable {
    /// Its time is up.
    static var late: Self { get }
    /// Its time is up, and the provider did not answer.
    static var timeout: Self { get }
    static var storeUnavailable: Self { get }
}

/// What a flight says and hears.
extension FleetSingleFlight {
    /// What to do next.
    enum Step: Sendable, Equatable {
        /// Read what the store has: ``looked(_:at:)``.
        case look
        /// Stand in line for a call to the provider: ``granted(at:)``. Whoever waits for another instance gives his
        /// place back.
        case enqueue
        /// Ask for the lease: ``acquired(_:at:)``.
        case acquire
        /// Wait for the announcement of the lease's holder, but no longer: ``rested(at:)``. Gives the place in line
        /// back.
        case wait(until: MonotonicTime)
        case rest(until: MonotonicTime)
        /// Ask the provider, and look whether its answer may be used: ``called(_:at:)``.
        case call
        /// Put it into the store, if the lease is still held: ``published(_:at:)``.
        case publish(Value, Lease)
        case finish(Ending)
        /// What is under way goes on.
        case none
    }

    /// What the store has, as far as it concerns who asks.
    enum Look: Sendable, Equatable {
        case found(Value)
        /// Another instance has failed, which may pass.
        case failed(Value)
        case nothing
        /// It speaks against a call, but not against what a call has brought.
        case obstacle(Obstacle)
        /// The store has something later, which is not for who asks.
        case superseded(Obstacle)
        /// The store did not answer.
        case away
        /// The store has not answered for as long as anyone waits for it: asking again is of no use now.
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
        /// What all are told if another try would do no better, or there is no time for one.
        case failed(Value, mayRetry: Bool)
        /// It concerns this flight alone.
        case obstacle(Obstacle)
        case cancelled
    }

    enum Publishing: Sendable, Equatable {
        case done
        /// The lease was not held any more; nothing was written after that showed.
        case lost
        case away
        /// It cannot be written at all, today or later.
        case impossible
    }

    /// What those who asked are told.
    struct Ending: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            /// From here or from another instance.
            case value(Value)
            /// It concerns these askers alone.
            case obstacle(Obstacle)
            case cancelled
        }

        var content: Content
        /// Whether this flight made the call.
        var isOwn = false
        /// Whether the store still has to be told.
        var isUnpublished = false
        /// Handed on with what the store has still to be told, so that nobody else calls before it knows.
        var lease: Lease?
    }
}
