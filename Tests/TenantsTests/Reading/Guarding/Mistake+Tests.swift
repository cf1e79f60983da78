extension Mistake {
    /// What is wrong with `tests`, and with rules that are only observed.
    static let tests: [Mistake] = [
        request("testWithoutPath", "GET", "write it like GET /orders"),
        request("testWithoutMethod", "/orders", "write it like GET /orders"),
        request("testWithBadMethod", "G:T /orders", "begin it with a method like GET or POST"),
        request("testOfRelativePath", "GET orders", #"the path begins with "/""#),
        request(
            "testOfPathWithSpace",
            "GET /my orders",
            "write the path as it is sent, with spaces and other letters in percent form"
        ),
        Mistake(
            "testThatExpectsARedirect",
            test("request: GET /, expect: { status: 302 }"),
            ["8:49: no decision has the status 302: write 200 for a request that goes on, or a refusal's status"]
        ),
        Mistake(
            "testThatExpectsACodeOfWhatGoesOn",
            test("request: GET /, expect: { status: 200, code: missing_token }"),
            ["8:54: a request that goes on has no code: leave it out, or expect a refusal's status"]
        ),
        Mistake(
            "testOfUnknownCode",
            test("request: GET /, expect: { status: 403, code: insufficient_roles }"),
            [
                #"8:60: "code" must be one of missing_token, invalid_token, token_expired, token_revoked, insufficient_scope, insufficient_role, unknown_host, ambiguous_path, rate_limited, cross_site_request, store_unavailable, bad_request, but is "insufficient_roles": did you mean "insufficient_role"?"#
            ]
        ),
        Mistake(
            "testWithHostHeader",
            test("request: GET /, headers: { Host: a.test }, expect: { status: 200 }"),
            [
                #"8:42: a test cannot send this header: it is made of the tenant's first host and of "request"; leave it out"#
            ]
        ),
        Mistake(
            "testWithHeaderOfTwoLines",
            test(#"request: GET /, headers: { X-A: "a\nb" }, expect: { status: 200 }"#),
            ["8:42: a test cannot send this header: its value is one line without control characters"]
        ),
        Mistake(
            "ruleThatIsOnlyObserved",
            Sample.tenant(more: "access: [{ path: /x, allow: { roles: [a] }, mode: observe }]"),
            ["8:55: warning: mode observe lets through what this rule refuses: use it for a migration only"]
        ),
        Mistake(
            "ruleOfUnknownMode",
            Sample.tenant(more: "access: [{ path: /x, allow: anyone, mode: observed }]"),
            [#"8:47: "mode" must be one of enforce, observe, but is "observed": did you mean "observe"?"#]
        ),
    ]

    private static func test(_ content: String) -> String { Sample.tenant(more: "tests: [{ \(content) }]") }

    private static func request(_ name: String, _ text: String, _ remedy: String) -> Mistake {
        Mistake(
            name,
            test("request: '\(text)', expect: { status: 200 }"),
            ["8:24: \"request\" must be a method and a path, but \"\(text)\" is none: \(remedy)"]
        )
    }
}
