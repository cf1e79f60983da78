import Verification

/// How people delete their own accounts.
public struct AccountDeletionRules: Sendable, Equatable {
    /// The request to the backend for each deleted account.
    public struct Call: Sendable, Equatable {
        /// What stands for the subject in ``path``.
        public static let subject = "{subject}"

        public var method: String
        /// On the tenant's backend, with ``subject`` in it once.
        public var path: String

        public init(method: String, path: String) {
            self.method = method
            self.path = path
        }

        /// The path with the subject in it, which is percent-encoded (RFC 3986 section 2.1): whatever a subject
        /// contains, it stays in its segment.
        ///
        /// - Returns: Nil where servers would read it as the path of something else: if the segment, or a part of it that
        ///   a server takes for one after decoding, is `.` or `..` (RFC 3986 section 5.2.4).
        public func target(of subject: String) -> String? {
            func filled(_ text: Substring, with subject: String) -> String {
                text.split(separator: Self.subject, maxSplits: 1, omittingEmptySubsequences: false)
                    .joined(separator: subject)
            }
            let segments = filled(path.prefix { $0 != "?" }, with: subject).utf8
                .split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            guard !segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
                return nil
            }
            return filled(path[...], with: PercentEncoding.encode(subject))
        }
    }

    /// The methods that a deletion can be asked for with: those that no link and no image has.
    static let methods = ["DELETE", "POST"]
    private static let receiptName = "/receipt"

    /// Of the request: one of `methods`. Other requests for the path go to the backend.
    public var method: String
    public var path: PathPattern
    /// Nil: the backend is told nothing.
    public var call: Call?

    public init(method: String, path: PathPattern, call: Call? = nil) {
        self.method = method
        self.path = path
        self.call = call
    }

    /// Where receipts can be read again.
    public var receiptPath: String {
        let text = path.description
        return (text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text) + Self.receiptName
    }
}

extension SignIn {
    /// Whether tokens of Apple or Google are kept, so that they can be taken back.
    public var keepsProviderTokens: Bool {
        deletion != nil && (apple != nil || google != nil || web?.provider == .google || web?.provider == .apple)
    }
}
