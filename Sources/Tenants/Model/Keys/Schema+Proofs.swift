import Verification

extension Schema {
    static let dpop = DpopKeys()

    struct DpopKeys: KeyTable {
        let need = Key("need", .choice(ProofRules.Need.self), default: .required)
            .means("`required` refuses tokens that are bound to no key; `optional` takes them as bearer tokens.")
        let nonce = Key("nonce", .boolean, default: false)
            .means("Whether proofs must hold a nonce of the gateway's, which lives 5 minutes.")
        let maxAge = Key("max_age", .duration(.seconds(1)...hour), default: .seconds(60))
            .means("How far a proof's `iat` may be from now, either way.", example: "30s")
        let algorithms = Key(
            "algorithms",
            .list(.choice(of: SignatureAlgorithm.allCases.filter { !$0.isSymmetric }), minimum: 1),
            default: [.es256, .edDSA]
        )
        .means("What proofs may be signed with.", example: "[ES256]")
        let mode = Key("mode", .choice(Tenant.Mode.self), default: .enforce)
            .means("`observe` decides, logs and counts, but lets through what this refuses: for migrations.")
    }
}
