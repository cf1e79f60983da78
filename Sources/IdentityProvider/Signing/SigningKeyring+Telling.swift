public import Time

/// What is told of a key to who runs the gateway: nothing of the key itself.
public struct SigningKeyState: Sendable, Equatable {
    public enum Stage: String, Sendable {
        /// Signs no more, and verifies what it signed.
        case previous
        case active
        /// Is published, so that it is known by the time that it signs.
        case next
    }

    public let keyID: String
    public let stage: Stage
    public let createdAt: UnixTime
    /// The time from which it signs; nil: not settled.
    public let activeFrom: UnixTime?
    /// When another takes over; nil: not settled.
    public let retiredAt: UnixTime?
    /// When it stops to verify; nil: not settled.
    public let forgottenAt: UnixTime?
}

/// What a rotation comes to.
public struct RotationPlan: Sendable, Equatable {
    /// Signs until then.
    public let activeKeyID: String
    /// Takes over; nil: a key that is not made yet.
    public let nextKeyID: String?
    /// The key after it is made then.
    public let takesOverAt: UnixTime
    /// The time until which the key that signs now verifies.
    public let verifiesUntil: UnixTime
    /// Whether it was settled before anybody asked.
    public private(set) var isUnderWay: Bool

    /// The same, settled by who asked.
    var asked: RotationPlan {
        var plan = self
        plan.isUnderWay = false
        return plan
    }
}

extension SigningKeyring {
    /// Every key, in the order in which they sign.
    public func states(at now: UnixTime, _ times: SigningKeyTimes) -> [SigningKeyState] {
        let active = activePlace(at: now)
        return keys.indices.map { place in
            SigningKeyState(
                keyID: keys[place].keyID,
                stage: place < active ? .previous : place == active ? .active : .next,
                createdAt: keys[place].createdAt,
                activeFrom: keys[place].activeFrom,
                retiredAt: retiredAt(place),
                forgottenAt: forgottenAt(place, times)
            )
        }
    }

    /// What ``rotated(at:_:)`` would do.
    public func rotatePlan(at now: UnixTime, _ times: SigningKeyTimes) -> RotationPlan {
        let next = next(at: now)
        let takesOverAt = next?.activeFrom ?? takeover(createdAt: next?.createdAt ?? now, at: now)
        return RotationPlan(
            activeKeyID: active(at: now).keyID,
            nextKeyID: next?.keyID,
            takesOverAt: takesOverAt,
            verifiesUntil: takesOverAt + times.keptAfterwards,
            isUnderWay: next?.activeFrom != nil
        )
    }
}
