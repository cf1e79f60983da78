public import Tenants
import Time

/// How long the keys of a ring are published, sign and are kept, in seconds.
public struct SigningKeyTimes: Sendable, Equatable {
    /// How long a key is published before it signs: longer than clients cache a key set (`Cache-Control` of the JWKS
    /// endpoint must stay below it), and instances take to read the store.
    public static let publication = 3600.0
    /// How long before a key takes over its time is settled: instances check the store at least every minute, and their
    /// clocks differ by up to one.
    public static let notice = 300.0
    /// How long an instance that cannot read the store goes on signing. Later another key may have taken over, and its
    /// own been forgotten.
    public static let withoutStore = 3600.0
    /// By how much clocks may differ, including those of verifiers.
    static let clockDifference = 600.0

    /// How long a key signs.
    public var rotateEvery: Double
    /// The lifetime of the longest-lived token.
    public var longestToken: Double
}

extension SigningKeyTimes {
    public init(_ issuer: BuiltInIssuer) {
        self.init(
            rotateEvery: issuer.rotateEvery.secondsAsDouble,
            longestToken: max(issuer.access, issuer.id).secondsAsDouble
        )
    }

    /// How long a key verifies after another took over: an instance without the store may have signed with it since.
    var keptAfterwards: Double { Self.withoutStore + longestToken + Self.clockDifference }
}
