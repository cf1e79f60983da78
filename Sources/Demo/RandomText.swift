import Verification

/// Unguessable text, from the system's generator.
public enum RandomText {
    /// The base64url text of that many random bytes.
    public static func make(bytes count: Int) -> String {
        Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max) })
    }
}
