import Foundation
import Synchronization
import Verification

/// Every secret that a run has used, to be looked for in everything that was written.
final class KnownSecrets: Sendable {
    struct Leak: Equatable {
        /// What kind of secret.
        var name: String
        /// The form in which it stands there.
        var form: String
    }

    private let secrets = Mutex<[(name: String, text: String)]>([])

    /// Takes note of a secret and gives it back.
    @discardableResult
    func keep(_ name: String, _ text: String) -> String {
        // Shorter texts would be found anywhere.
        precondition(text.utf8.count >= 8, "\(name) is too short to be looked for")
        secrets.withLock { $0.append((name, text)) }
        return text
    }

    var names: Set<String> { Set(secrets.withLock { $0 }.map(\.name)) }

    /// Where any of them stands in `written`, in any form that it could be written in.
    func leaks(in written: [UInt8]) -> [Leak] {
        let written = Data(written)
        return secrets.withLock { $0 }.flatMap { name, text in
            Self.forms(text).filter { written.range(of: Data($0.text.utf8)) != nil }
                .map { Leak(name: name, form: $0.form) }
        }
    }

    private static func forms(_ text: String) -> [(form: String, text: String)] {
        let bytes = Array(text.utf8)
        let digits = bytes.map { String(String(UInt16($0) + 0x100, radix: 16).dropFirst()) }
        let inJSON = JSONWriter.text(of: .string(text))
        var forms: [(form: String, text: String)] = [
            ("itself", text), ("percent-encoded", Form.encoded(text)),
            ("base64", Data(bytes).base64EncodedString()), ("base64url", Base64URL.encode(bytes)),
            ("in JSON", String(inJSON.dropFirst().dropLast())), ("hexadecimal", digits.joined()),
        ]
        let parts = text.split(separator: ".").map(String.init)
        // Of a token the header alone is no secret; its claims are somebody's, and its signature proves them.
        if parts.count == 3, text.hasPrefix("eyJ") { forms += [("claims", parts[1]), ("signature", parts[2])] }
        return forms
    }
}
