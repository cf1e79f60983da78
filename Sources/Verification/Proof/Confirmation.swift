/// What a token is bound to (`cnf`, RFC 7800): its holder must prove to have it.
public struct Confirmation: Sendable, Equatable {
    /// SHA-256 thumbprint of a key (`jkt`, RFC 9449 section 6.1; RFC 7638).
    public var keyThumbprint: [UInt8]?
    /// SHA-256 of a client certificate in DER (`x5t#S256`, RFC 8705 section 3.1).
    public var certificateThumbprint: [UInt8]?
    /// Whether there is a member that cannot be checked here, or is malformed: such a token is refused.
    public var hasUnknown: Bool

    public init(keyThumbprint: [UInt8]? = nil, certificateThumbprint: [UInt8]? = nil, hasUnknown: Bool = false) {
        self.keyThumbprint = keyThumbprint
        self.certificateThumbprint = certificateThumbprint
        self.hasUnknown = hasUnknown
    }

    /// - Parameter claims: Of a verified token.
    /// - Returns: Nil for a plain bearer token.
    public init?(_ claims: JSONObject) {
        guard let claim = claims["cnf"] else { return nil }
        self.init()
        guard case .object(let methods) = claim else {
            hasUnknown = true
            return
        }
        for method in methods.members {
            guard case .string(let text) = method.value, let digest = Base64URL.decode(text), digest.count == 32 else {
                hasUnknown = true
                continue
            }
            switch method.name {
            case "jkt": keyThumbprint = digest
            case "x5t#S256": certificateThumbprint = digest
            default: hasUnknown = true
            }
        }
        if keyThumbprint == nil && certificateThumbprint == nil { hasUnknown = true }
    }
}
