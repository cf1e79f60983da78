/// Refuses tokens whose type is not that of an access token, or of what else is expected (RFC 8725 section 3.11).
///
/// Accepted as an access token `typ`: none, `JWT`, `at+jwt` (RFC 9068) and names without a standard meaning, in any case and with or
/// without `application/`. Refused: every other media type with a `+jwt` or `-jwt` suffix (`dpop+jwt`, `logout+jwt`,
/// `secevent+jwt`, …), JSON serialisations, and JWE. A `cty` of `JWT` marks a nested token (RFC 7519 section 5.2),
/// whose claims are not these.
enum TypeCheck {
    static func check(_ header: JOSEHeader, _ purpose: TokenPurpose) throws(VerificationFailure) {
        if let type = header.type, !isAccepted(type, purpose) { throw VerificationFailure(.wrongType) }
        if let content = header.contentType, bare(content) == "jwt" { throw VerificationFailure(.wrongType) }
    }

    /// For issuers that type their access tokens (RFC 9068 section 4): only `at+jwt` passes, so that an ID token of the
    /// same issuer does not.
    static func checkAccessToken(_ header: JOSEHeader) throws(VerificationFailure) {
        guard let type = header.type, bare(type) == "at+jwt" else { throw VerificationFailure(.wrongType) }
    }

    /// A logout token or a security event without a type of its own is known by its claim `events`: an object whose members
    /// are URIs (RFC 8417 section 2.2). It says that something has happened, and lets nobody in.
    static func check(_ claims: RegisteredClaims, _ purpose: TokenPurpose) throws(VerificationFailure) {
        guard case .access = purpose, let events = claims.all["events"]?.object else { return }
        if events.members.contains(where: { $0.name.utf8.contains(UInt8(ascii: ":")) }) {
            throw VerificationFailure(.wrongType)
        }
    }

    /// Logout tokens and security events also come untyped, or as `JWT`, from those who made them before their types were
    /// registered; the claim `events` then tells them from other tokens.
    private static func isAccepted(_ type: String, _ purpose: TokenPurpose) -> Bool {
        switch purpose {
        case .access: isAccessToken(type)
        case .logout: ["jwt", "logout+jwt"].contains(bare(type))
        case .securityEvent: ["jwt", "secevent+jwt"].contains(bare(type))
        }
    }

    private static func isAccessToken(_ type: String) -> Bool {
        let name = bare(type)
        if name == "jwt" || name == "at+jwt" { return true }
        return !name.hasSuffix("+jwt") && !name.hasSuffix("-jwt") && !name.hasSuffix("+json") && name != "jwe"
    }

    private static func bare(_ mediaType: String) -> String {
        let name = mediaType.lowercased()
        let prefix = "application/"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }
}
