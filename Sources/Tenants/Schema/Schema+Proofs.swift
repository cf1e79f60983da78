import Verification

extension Schema {
    static let dpop = SchemaObject([
        SchemaKey(
            "need",
            .choice(ProofRules.Need.allCases.map(\.rawValue)),
            standard: "required",
            "`required` refuses tokens that are bound to no key; `optional` takes them as bearer tokens."
        ),
        SchemaKey(
            "nonce",
            .boolean,
            standard: "false",
            "Whether proofs must hold a nonce of the gateway's, which lives 5 minutes."
        ),
        SchemaKey(
            "max_age",
            .duration(.seconds(1)...hours, example: "60s"),
            standard: "60s",
            "How far a proof's `iat` may be from now, either way."
        ),
        SchemaKey(
            "algorithms",
            .list(.choice(SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)), minimum: 1),
            standard: "[ES256, EdDSA]",
            "What proofs may be signed with."
        ),
        SchemaKey(
            "mode",
            .choice(Tenant.Mode.allCases.map(\.rawValue)),
            standard: "enforce",
            "`observe` decides, logs and counts, but lets through what this refuses: for migrations."
        ),
    ])
}
