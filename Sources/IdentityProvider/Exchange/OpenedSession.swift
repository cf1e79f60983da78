import Verification

/// A session as an app was given it: what a retry of the sign-in gets again.
struct OpenedSession: Sendable, Equatable {
    let sessionID: String
    let subject: String
    /// With its tokens.
    let answer: JSONObject
    /// Of the key that its tokens are bound to; nil: they are bound to none.
    let keyThumbprint: [UInt8]?

    init(sessionID: String, subject: String, answer: JSONObject, keyThumbprint: [UInt8]? = nil) {
        self.sessionID = sessionID
        self.subject = subject
        self.answer = answer
        self.keyThumbprint = keyThumbprint
    }

    var response: EndpointResponse { .json(answer, subject: subject) }
}

// MARK: - Sealed

extension OpenedSession {
    /// - Parameters:
    ///   - identityToken: Which alone opens it.
    ///   - tenant: What is sealed for one opens at no other.
    /// - Returns: Nil if it could not be made.
    func sealed(with identityToken: String, tenant: String) -> [UInt8]? {
        var object: JSONObject = [
            "session": .string(sessionID), "subject": .string(subject), "answer": .object(answer),
        ]
        if let keyThumbprint { object["jkt"] = .string(Base64URL.encode(keyThumbprint)) }
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
            let answer = object["answer"]?.object
        else { return nil }
        let keyThumbprint = object["jkt"]?.string.map { Base64URL.decode($0) ?? [] }
        self.init(sessionID: sessionID, subject: subject, answer: answer, keyThumbprint: keyThumbprint)
    }

    private static func purpose(_ tenant: String) -> String { "apple exchange \(tenant)" }
}

extension OpenedSession: CustomStringConvertible, CustomReflectable {
    var description: String { "<session \(sessionID), redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
