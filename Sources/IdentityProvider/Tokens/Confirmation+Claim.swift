import Verification

extension Confirmation {
    /// - Returns: Nil if there is nothing to bind a token to.
    static func of(keyThumbprint: [UInt8]?, certificateThumbprint: [UInt8]?) -> Confirmation? {
        guard keyThumbprint != nil || certificateThumbprint != nil else { return nil }
        return Confirmation(keyThumbprint: keyThumbprint, certificateThumbprint: certificateThumbprint)
    }

    /// The value of `cnf`, which parses back to this (RFC 9449 section 6.1, RFC 8705 section 3.1).
    var claim: JSONObject {
        var claim = JSONObject()
        if let keyThumbprint { claim["jkt"] = .string(Base64URL.encode(keyThumbprint)) }
        if let certificateThumbprint { claim["x5t#S256"] = .string(Base64URL.encode(certificateThumbprint)) }
        return claim
    }

    /// Whether a client that has proved `other` has proved all of this.
    func isMet(by other: Confirmation?) -> Bool {
        !hasUnknown && Self.isMet(keyThumbprint, by: other?.keyThumbprint)
            && Self.isMet(certificateThumbprint, by: other?.certificateThumbprint)
    }

    private static func isMet(_ thumbprint: [UInt8]?, by other: [UInt8]?) -> Bool {
        guard let thumbprint else { return true }
        return other.map { ConstantTime.areEqual($0, thumbprint) } ?? false
    }
}
