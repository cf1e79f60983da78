import Foundation
import Synchronization
import Verification

/// Every secret of a run, to be searched for in all output.
final class KnownSecrets: Sendable {
    struct Leak: Equatable {
        /// What kind of secret.
        var name: String
        /// The encoding in which it was found.
        var form: String
    }

    private let secrets = Mutex<[(name: String, text: String)]>([])

    /// Records a secret and returns it.
    @discardableResult
    func keep(_ name: String, _ text: String) -> String {
        // Shorter texts would match anywhere.
        precondition(text.utf8.count >= 8, "\(name) is too short to be looked for")
        secrets.withLock { $0.append((name, text)) }
        return text
    }

    var names: Set<String> { Set(secrets.withLock { $0 }.map(\.name)) }

    /// The secrets found in `written`, in any encoding.
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
        // A token's header is not secret; its claims are personal, and its signature is a credential.
        if parts.count == 3, text.hasPrefix("eyJ") { forms += [("claims", parts[1]), ("signature", parts[2])] }
        return forms
    }
}
