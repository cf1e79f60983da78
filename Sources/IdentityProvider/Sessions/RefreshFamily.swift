import Time
import Verification

/// The refresh tokens of a session, of which one is valid at a time (RFC 9700 section 4.14.2).
///
/// A response may be lost, and a client may refresh twice at once: for a short time a used token gives the same
/// successor again. A later use means that two parties have it, one of whom stole it.
struct RefreshFamily: Sendable, Equatable {
    /// Seconds for which a used token gives its successor again.
    static let window = 30.0
    /// The maximum number of used tokens that are remembered with their successors.
    static let mostRotations = 16

    /// A token that was used.
    struct Rotation: Sendable, Equatable {
        let hash: [UInt8]
        let at: UnixTime
        let sealedSuccessor: [UInt8]
    }

    /// The status of a presented token.
    enum Status: Sendable, Equatable {
        /// The valid one.
        case current
        /// Used just now: its successor, sealed.
        case rotated(sealedSuccessor: [UInt8])
        /// Used before the window.
        case spent
        /// Not of this family.
        case foreign
    }

    /// The key of its tokens' tags. A valid tag does not make a token valid: that takes the hash.
    let key: [UInt8]
    private(set) var currentHash: [UInt8]
    /// The oldest first.
    private(set) var rotations: [Rotation] = []

    /// - Parameter now: Clocks of instances may differ, so it may be before a rotation.
    func status(of token: RefreshToken, at now: UnixTime) -> Status {
        guard token.belongs(to: key) else { return .foreign }
        let hash = token.hash
        if ConstantTime.areEqual(hash, currentHash) { return .current }
        for rotation in rotations where ConstantTime.areEqual(hash, rotation.hash) {
            return now < rotation.at + Self.window ? .rotated(sealedSuccessor: rotation.sealedSuccessor) : .spent
        }
        return .spent
    }

    /// The successor of a token that was used, however long ago; nil if it is no longer remembered.
    func sealedSuccessor(of token: RefreshToken) -> [UInt8]? {
        let hash = token.hash
        return rotations.first { ConstantTime.areEqual(hash, $0.hash) }?.sealedSuccessor
    }

    /// The current token was used: `successor` replaces it.
    ///
    /// - Parameter keepsOld: Whether rotations before the window stay, up to their maximum number.
    mutating func rotate(to successor: RefreshToken, sealed: [UInt8], keepsOld: Bool = false, at now: UnixTime) {
        if !keepsOld { forgetRotations(at: now) }
        if rotations.count == Self.mostRotations { rotations.removeFirst() }
        rotations.append(Rotation(hash: currentHash, at: now, sealedSuccessor: sealed))
        currentHash = successor.hash
    }

    /// Drops successors of tokens used before the window.
    mutating func forgetRotations(at now: UnixTime) {
        rotations.removeAll { now >= $0.at + Self.window }
    }
}

extension RefreshFamily: CustomStringConvertible, CustomReflectable {
    var description: String { "<refresh tokens, redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
