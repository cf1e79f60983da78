extension Mistake {
    /// What is wrong with `dpop`.
    static let proofs: [Mistake] = [
        Mistake(
            "proofsOfTokensInCookies",
            Sample.tenant(auth: "from: [\"cookie:session\"]", more: "dpop: {}"),
            [
                #"9:5: "dpop" needs tokens in Authorization, where none is looked for: add bearer to "from""#
            ]
        ),
        Mistake(
            "proofsByASharedSecret",
            Sample.tenant(more: "dpop: { algorithms: [ES256, HS256] }"),
            [
                #"8:33: an item of "algorithms" must be one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, but is "HS256": choose one of them"#
            ]
        ),
        Mistake(
            "proofsByNoAlgorithm",
            Sample.tenant(more: "dpop: { algorithms: [] }"),
            [#"8:25: "algorithms" is empty: give at least 1, for example [RS256]"#]
        ),
        Mistake(
            "unknownNeedOfProofs",
            Sample.tenant(more: "dpop: { need: always }"),
            [#"8:19: "need" must be one of required, optional, but is "always": choose one of them"#]
        ),
        Mistake(
            "proofsOfYesterday",
            Sample.tenant(more: "dpop: { max_age: 2h }"),
            [
                #"8:22: "max_age" must be a duration, but is "2h": give one from 1s to 1h"#,
                #"8:22: warning: each proof is remembered for so long: set the clocks and keep max_age under 5m"#,
            ]
        ),
        Mistake(
            "proofsThatLiveLong",
            Sample.tenant(more: "dpop: { max_age: 6m }"),
            [
                #"8:22: warning: each proof is remembered for so long: set the clocks and keep max_age under 5m"#
            ]
        ),
        Mistake(
            "proofsThatAreOnlyObserved",
            Sample.tenant(more: "dpop: { mode: observe }"),
            [
                #"8:19: warning: mode observe lets through what "dpop" refuses: use it for a migration only"#
            ]
        ),
        Mistake(
            "unknownKeyOfProofs",
            Sample.tenant(more: "dpop: { nonces: true }"),
            [#"8:13: unknown key "nonces": did you mean "nonce"?"#]
        ),
    ]
}
