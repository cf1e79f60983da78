/// Takes what the gateway goes by from where an issuer's tokens have it.
enum ClaimMappingCheck {
    /// - Returns: The claims set with the mapped values under the usual names: whoever asks for `sub`, `email` or `roles`
    ///   later gets them, and never what the token itself has there.
    /// - Throws: If the token has no subject where it must be.
    static func map(
        _ claims: RegisteredClaims,
        by mapping: ClaimMapping
    ) throws(VerificationFailure) -> RegisteredClaims {
        var result = claims
        for finding in mapping.findings(in: claims.all) {
            let first = finding.values.first
            switch finding.field {
            case .subject:
                guard let first else { throw failure(finding) }
                result.subject = first
                result.all["sub"] = .string(first)
            case .email: result.all["email"] = first.map(JSONValue.string)
            case .session:
                result.sessionID = first
                result.all["sid"] = first.map(JSONValue.string)
            case .audience: result.audiences = finding.values
            case .roles:
                result.mappedRoles = finding.values
                for name in ["role", "roles"] { result.all[name] = finding.list }
            case .scopes:
                result.mappedScopes = finding.values
                let text = finding.values.joined(separator: " ")
                result.all["scope"] = text.isEmpty ? JSONValue?.none : .string(text)
            }
        }
        return result
    }

    private static func failure(_ finding: ClaimFinding) -> VerificationFailure {
        let place = finding.places.first
        return VerificationFailure(place?.outcome == .unfit ? .badClaim : .missingClaim, claim: place?.text)
    }
}

extension ClaimFinding {
    /// Nil if there are none.
    fileprivate var list: JSONValue? {
        values.isEmpty ? JSONValue?.none : .array(values.map(JSONValue.string))
    }
}
