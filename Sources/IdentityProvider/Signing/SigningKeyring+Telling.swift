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
    /// Unix seconds.
    public let createdAt: Double
    /// Unix seconds from which it signs; nil: not settled.
    public let activeFrom: Double?
    /// Unix seconds at which another takes over; nil: not settled.
    public let retiredAt: Double?
    /// Unix seconds at which it stops to verify; nil: not settled.
    public let forgottenAt: Double?
}

/// What a rotation comes to.
public struct RotationPlan: Sendable, Equatable {
    /// Signs until then.
    public let activeKeyID: String
    /// Takes over; nil: a key that is not made yet.
    public let nextKeyID: String?
    /// Unix seconds. The key after it is made then.
    public let takesOverAt: Double
    /// Unix seconds until which the key that signs now verifies.
    public let verifiesUntil: Double
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
    ///
    /// - Parameter now: Unix seconds.
    public func states(at now: Double, _ times: SigningKeyTimes) -> [SigningKeyState] {
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
    public func rotatePlan(at now: Double, _ times: SigningKeyTimes) -> RotationPlan {
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
