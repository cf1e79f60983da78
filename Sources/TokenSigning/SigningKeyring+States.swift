public import Time

/// The state of a key as shown to operators, without the key itself.
public struct SigningKeyState: Sendable, Equatable {
    public enum Stage: String, Sendable {
        /// Does not sign any more, but verifies what it signed.
        case previous
        case active
        /// Published, so that verifiers know it before it signs.
        case next
    }

    public let keyID: String
    public let stage: Stage
    public let createdAt: UnixTime
    /// The time from which it signs; nil if not settled.
    public let activeFrom: UnixTime?
    /// When another takes over; nil if not settled.
    public let retiredAt: UnixTime?
    /// When it stops verifying; nil if not settled.
    public let forgottenAt: UnixTime?
}

/// The result of a rotation.
public struct RotationPlan: Sendable, Equatable {
    /// Signs until then.
    public let activeKeyID: String
    /// Takes over; nil if the key is not made yet.
    public let nextKeyID: String?
    /// The time of the takeover; the following key is made then.
    public let takesOverAt: UnixTime
    /// The time until which the present signing key verifies.
    public let verifiesUntil: UnixTime
    /// Whether it was settled before the request.
    public private(set) var isUnderWay: Bool

    /// The same, settled by this request.
    var startedNow: RotationPlan {
        var plan = self
        plan.isUnderWay = false
        return plan
    }
}

extension SigningKeyring {
    /// Every key, in the order in which they sign.
    public func states(at now: UnixTime, _ times: SigningKeyTimes) -> [SigningKeyState] {
        let active = activeIndex(at: now)
        return keys.indices.map { index in
            SigningKeyState(
                keyID: keys[index].keyID,
                stage: index < active ? .previous : index == active ? .active : .next,
                createdAt: keys[index].createdAt,
                activeFrom: keys[index].activeFrom,
                retiredAt: retiredAt(index),
                forgottenAt: forgottenAt(index, times)
            )
        }
    }

    /// The effect of ``rotated(at:_:)``.
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
