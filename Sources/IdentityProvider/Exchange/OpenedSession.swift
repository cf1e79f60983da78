import Verification

/// A session as sent to an app: a retry of the sign-in gets it again.
struct OpenedSession: Sendable, Equatable {
    let sessionID: String
    let subject: String
    /// The response body, with its tokens.
    let body: JSONObject
    /// The key that its tokens are bound to; nil if they are not bound.
    var keyThumbprint: [UInt8]?

    var response: EndpointResponse { .json(body, subject: subject) }
}

// MARK: - Sealed

extension OpenedSession {
    /// - Parameters:
    ///   - identityToken: The only key that opens it.
    ///   - tenant: A value sealed for one tenant opens for no other.
    /// - Returns: Nil if sealing failed.
    func sealed(with identityToken: String, tenant: String) -> [UInt8]? {
        var object: JSONObject = [
            "session": .string(sessionID), "subject": .string(subject), "answer": .object(body),
        ]
        if let keyThumbprint { object["jkt"] = .bytes(keyThumbprint) }
        let bytes = JSONWriter.bytes(of: object)
        return CredentialSeal.seal(bytes, with: Array(identityToken.utf8), purpose: Self.purpose(tenant))
    }

    /// - Returns: Nil if `identityToken` does not open it.
    init?(sealed: [UInt8], with identityToken: String, tenant: String) {
        guard
            let bytes = CredentialSeal.open(
                sealed,
                with: Array(identityToken.utf8),
                purpose: Self.purpose(tenant)
            ),
            let object = try? JSONParser.parse(bytes).object,
            let sessionID = object["session"]?.string, let subject = object["subject"]?.string,
            let body = object["answer"]?.object
        else { return nil }
        let keyThumbprint = object["jkt"]?.string.map { Base64URL.decode($0) ?? [] }
        self.init(sessionID: sessionID, subject: subject, body: body, keyThumbprint: keyThumbprint)
    }

    private static func purpose(_ tenant: String) -> String { "apple exchange \(tenant)" }
}

extension OpenedSession: CustomStringConvertible, CustomReflectable {
    var description: String { "<session \(sessionID), redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
