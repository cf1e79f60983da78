import Store
import Time

/// What a flight says and hears.
extension RefreshFlight {
    /// What to do next.
    enum Step: Sendable, Equatable {
        /// Read what the store has: ``looked(_:at:)``.
        case look
        /// Stand in line for a call to the tenant's provider: ``granted(at:)``. Whoever waits for a word gives his
        /// place back.
        case enqueue
        /// Ask for the lease: ``acquired(_:at:)``.
        case acquire
        /// Wait for the word of the lease's holder, but no longer: ``rested(at:)``. Gives the place in line back.
        case wait(until: MonotonicTime)
        case rest(until: MonotonicTime)
        /// Ask the provider: ``called(_:at:)``.
        case call
        /// Look whether the answer may be used: ``checked(_:at:)``.
        case check(ReceivedTokens)
        /// Put it into the store, if the lease is still held: ``published(_:at:)``.
        case publish(RefreshRecord, Lease)
        case finish(Ending)
        /// What is under way goes on.
        case none
    }

    /// What the store has, as far as it concerns who asks.
    enum Look: Sendable, Equatable {
        case found(RefreshRecord)
        case nothing
        /// There is a result that cannot be opened here.
        case closed
        /// The refresh token has been used up.
        case spent
        /// What was presented is what a refresh has just brought.
        case justRefreshed
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

    enum Check: Sendable, Equatable {
        case good(RefreshRecord)
        case bad(RefreshFailure)
        case revoked
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
            /// From here or from another instance, to be remembered.
            case record(RefreshRecord)
            /// It concerns these askers alone.
            case trouble(RefreshFailure)
            case revoked
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
