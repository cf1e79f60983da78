package import Counting
package import IdentityProvider

/// A sign-in request that the gateway has checked and forwards to the backend.
package struct CheckedSignIn {
    /// `X-Verified-*`, each with its CRLF; empty for a body that proves nothing.
    package let lines: [UInt8]
    /// The refusal in enforce mode, if observe mode let it pass.
    let wouldBe: RefusalCode?
    /// The identity to record when the backend has admitted it; nil for none.
    package let registers: ProviderIdentity?

    /// The fields that a backend may trust because clients cannot send them.
    package static let fieldNames = ["X-Verified-Subject", "X-Verified-Email", "X-Verified-Provider"]

    /// - Parameter registers: Whether the tenant gives roles to accounts.
    package init(_ signIn: ForwardedSignIn, registers: Bool) {
        var lines: [UInt8] = []
        if let identity = signIn.identity {
            Self.add("X-Verified-Subject", identity.subject, to: &lines)
            // Only an address that the provider has verified identifies anyone.
            if let email = identity.email, identity.isEmailVerified { Self.add("X-Verified-Email", email, to: &lines) }
            Self.add("X-Verified-Provider", identity.provider.rawValue, to: &lines)
        }
        self.lines = lines
        wouldBe = signIn.isObserved ? .missingToken : nil
        self.registers = registers ? signIn.identity : nil
    }

    /// A request that observe mode lets pass although it was refused.
    package init(observed code: RefusalCode) {
        lines = []
        wouldBe = code
        registers = nil
    }

    /// A value that is not valid in a field (RFC 9110 section 5.5) is left out: a changed value could be someone
    /// else's.
    private static func add(_ name: String, _ value: String, to lines: inout [UInt8]) {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
        lines += name.utf8
        lines += [UInt8(ascii: ":"), UInt8(ascii: " ")]
        lines += value.utf8
        lines += [0x0d, 0x0a]
    }
}
