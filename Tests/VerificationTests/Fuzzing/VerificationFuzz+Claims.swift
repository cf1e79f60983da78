import TestSupport

@testable import Verification

extension VerificationFuzz {
    /// Claims sets, read by a mapping of every field.
    static let claimMapping = {
        let places: [ClaimMapping.Field: [String]] = [
            .subject: ["/a/0"], .roles: ["/a", "b", "/b/c"], .scopes: ["b", "/a"], .email: ["/a/1"], .session: ["s"],
            .audience: ["b"],
        ]
        let mapping = ClaimMapping(
            places.mapValues { $0.compactMap { ClaimPlace($0) } },
            rolesPrefix: "x"
        )
        return FuzzTarget(
            "claim-mapping",
            texts: [
                #"{"a":["x1","x2"],"b":"xa xb","s":"1"}"#, #"{"a":"x y","b":{"xc":true,"d":{"e":1}}}"#,
                #"{"a":[{"x":{"i":"o"}}],"b":{"c":["x","xx"]}}"#,
            ],
            words: [#""x""#, "true", "null", "[]", "{}", #"{"x":true}"#, " ", "\u{301}"]
        ) { bytes in
            guard case .object(let claims)? = try? JSONParser.parse(bytes) else { return false }
            let findings = mapping.findings(in: claims)
            try hold(findings.map(\.field) == ClaimMapping.Field.allCases, "not one finding for each field")
            for finding in findings {
                try hold(finding.values.count <= ClaimMapping.maximumNames, "more names than are taken")
                try hold(finding.values.allSatisfy { !$0.isEmpty }, "an empty name")
                try hold(finding.places.count == mapping.places[finding.field]?.count, "not one outcome for each place")
                let isRead = finding.places.contains { $0.outcome == .read }
                try hold(isRead || finding.values.isEmpty && finding.leftOut == 0, "names of nowhere")
                if finding.field == .scopes {
                    try hold(finding.values.allSatisfy { !$0.utf8.contains(0x20) }, "a scope with a space")
                }
                if !finding.field.isList, finding.field != .audience {
                    try hold(finding.values.count <= 1, "several where one is")
                }
            }
            return true
        }
    }()
}
