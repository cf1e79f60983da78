/// Refuses tokens whose type is not that of an access token (RFC 8725 section 3.11).
///
/// Accepted `typ`: none, `JWT`, `at+jwt` (RFC 9068) and names without a standard meaning, in any case and with or
/// without `application/`. Refused: every other media type with a `+jwt` or `-jwt` suffix (`dpop+jwt`, `logout+jwt`,
/// `secevent+jwt`, …), JSON serialisations, and JWE. A `cty` of `JWT` marks a nested token (RFC 7519 section 5.2),
/// whose claims are not these.
enum TypeCheck {
    static func check(_ header: JOSEHeader) throws(VerificationFailure) {
        if let type = header.type, !isAccessToken(type) { throw VerificationFailure(.wrongType) }
        if let content = header.contentType, bare(content) == "jwt" { throw VerificationFailure(.wrongType) }
    }

    /// For issuers that type their access tokens (RFC 9068 section 4): only `at+jwt` passes, so that an ID token of the
    /// same issuer does not.
    static func checkAccessToken(_ header: JOSEHeader) throws(VerificationFailure) {
        guard let type = header.type, bare(type) == "at+jwt" else { throw VerificationFailure(.wrongType) }
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
