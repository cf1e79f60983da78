public import Time
public import Verification

/// The token of a former issuer with which a session was begun (`refresh.adopt`): what revokes it ends the session too, at
/// its next refresh at the latest.
public struct FormerToken: Sendable, Equatable {
    public let issuer: String
    public let subject: String?
    /// Its `sid`.
    public let sessionID: String?
    /// Its `jti`.
    public let tokenID: String?
    public let issuedAt: UnixTime?

    public init(_ principal: Principal) {
        issuer = principal.issuer
        subject = principal.subject
        sessionID = principal.sessionID
        tokenID = principal.tokenID
        issuedAt = principal.issuedAt
    }
}

extension FormerToken {
    var json: JSONObject {
        var object: JSONObject = ["iss": .string(issuer)]
        object["sub"] = subject.map(JSONValue.string)
        object["sid"] = sessionID.map(JSONValue.string)
        object["jti"] = tokenID.map(JSONValue.string)
        object["iat"] = issuedAt.map(JSONValue.time)
        return object
    }

    init?(json object: JSONObject) {
        guard let issuer = object["iss"]?.string else { return nil }
        self.issuer = issuer
        subject = object["sub"]?.string
        sessionID = object["sid"]?.string
        tokenID = object["jti"]?.string
        issuedAt = object["iat"]?.time
    }
}
