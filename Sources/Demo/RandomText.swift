import Verification

/// Text that nobody can guess, from the system's generator.
public enum RandomText {
    /// The base64url text of so many random bytes.
    public static func make(bytes count: Int) -> String {
        Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max) })
    }
}
