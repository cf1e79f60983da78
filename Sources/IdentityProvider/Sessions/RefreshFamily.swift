import Time
import Verification

/// The refresh tokens that a session has had, of which one is good at a time (RFC 9700 section 4.14.2).
///
/// An answer may be lost, and a client may ask twice at once: for a while a token that was used gives the same successor
/// again. After that its use means that two have it, of whom one stole it.
struct RefreshFamily: Sendable, Equatable {
    /// Seconds in which a used token gives its successor again.
    static let window = 30.0
    /// How many used tokens are remembered with their successors at most.
    static let mostRotations = 16

    /// A token that was used.
    struct Rotation: Sendable, Equatable {
        let hash: [UInt8]
        let at: UnixTime
        let sealedSuccessor: [UInt8]
    }

    /// What a token is to the family.
    enum Standing: Sendable, Equatable {
        /// The good one.
        case current
        /// Used just now: its successor, sealed.
        case rotated(sealedSuccessor: [UInt8])
        /// Used too long ago.
        case spent
        /// None of this family.
        case foreign
    }

    /// What its tokens' tags are made with. It makes no token good: that takes the hash.
    let key: [UInt8]
    private(set) var currentHash: [UInt8]
    /// The earliest first.
    private(set) var rotations: [Rotation]

    init(key: [UInt8], currentHash: [UInt8], rotations: [Rotation] = []) {
        self.key = key
        self.currentHash = currentHash
        self.rotations = rotations
    }

    /// - Parameter now: Instances' clocks may differ a little, so that it may be before a rotation.
    func standing(of token: RefreshToken, at now: UnixTime) -> Standing {
        guard token.belongs(to: key) else { return .foreign }
        let hash = token.hash
        if ConstantTime.areEqual(hash, currentHash) { return .current }
        for rotation in rotations where ConstantTime.areEqual(hash, rotation.hash) {
            return now < rotation.at + Self.window ? .rotated(sealedSuccessor: rotation.sealedSuccessor) : .spent
        }
        return .spent
    }

    /// The current token was used: `successor` takes its place.
    mutating func rotate(to successor: RefreshToken, sealed: [UInt8], at now: UnixTime) {
        forgetRotations(at: now)
        if rotations.count == Self.mostRotations { rotations.removeFirst() }
        rotations.append(Rotation(hash: currentHash, at: now, sealedSuccessor: sealed))
        currentHash = successor.hash
    }

    /// Drops the successors of those that were used too long ago.
    mutating func forgetRotations(at now: UnixTime) {
        rotations.removeAll { now >= $0.at + Self.window }
    }
}

extension RefreshFamily: CustomStringConvertible, CustomReflectable {
    var description: String { "<refresh tokens, redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
