import Tenants
import Verification

/// Notes on what is taken from where an issuer's tokens have it.
extension Explanation {
    /// - Parameter token: Verified.
    func noteMapping(of token: Span<UInt8>, _ caller: Caller, _ tenant: Tenant) {
        let policy = tenant.authenticate.policy
        guard !caller.principal.isOpaque, let index = policy.index(ofIssuer: caller.principal.issuer),
            let mapping = policy.issuers[index].mapping,
            let claims = try? UnverifiedToken(token).claims()
        else { return }
        for finding in mapping.findings(in: claims) {
            note(.verify, Self.description(finding, mapping), line: line(ofIssuer: index, tenant))
        }
    }

    private static func description(_ finding: ClaimFinding, _ mapping: ClaimMapping) -> String {
        let places = finding.places.map { place in
            switch place.outcome {
            case .read: shown(place.text)
            case .missing: "\(shown(place.text)) (missing)"
            case .unfit: "\(shown(place.text)) (of another type, not taken)"
            }
        }
        var text = "\(finding.field.rawValue) \(list(finding.values)), mapped from \(places.joined(separator: ", "))"
        if finding.leftOut > 0 {
            let prefix = finding.field == .roles ? mapping.rolesPrefix : ""
            text += "; \(finding.leftOut) left out, "
            text +=
                prefix.isEmpty ? "beyond the first \(ClaimMapping.maximumNames)" : "without \(shown(prefix)) before it"
        }
        return text
    }
}

extension VerificationPolicy {
    /// The index of the first issuer of this name, compared byte for byte, as verification does.
    func index(ofIssuer name: String) -> Int? {
        issuers.firstIndex { $0.issuer.utf8.elementsEqual(name.utf8) }
    }
}

extension IssuerPolicy {
    /// What of a token's claims is compared with ``audiences``; nil if there is nothing.
    func audiences(in claims: JSONObject) -> [String]? {
        let mapped = mapping?.findings(in: claims).first { $0.field == .audience }
        return mapped?.values ?? claims["aud"]?.stringOrStrings
    }
}
