extension Mistake {
    /// What is wrong with what sign-in needs of the tenant's own issuer.
    static let signInIssuer: [Mistake] = [
        Mistake(
            "issueWithoutIssuer",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: issue }, google: { path: /g, client_ids: [c], then: issue } }
                    """#
            ),
            [
                #"8:58: then issue needs the tenant's own issuer, and it has none: add an "issuer" section"#
            ]
        ),
        Mistake(
            "googleIssuesWithoutIssuer",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward }, google: { path: /g, client_ids: [c], then: issue } }
                    """#
            ),
            [
                #"8:112: then issue needs the tenant's own issuer, and it has none: add an "issuer" section"#
            ]
        ),
        Mistake(
            "webWithoutIssuer",
            Sample.tenant(
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    sign_in: { web: { login: /l, callback: /c, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: ca, refresh: cr } } }
                    """#
            ),
            [
                #"9:16: "web" needs the tenant's own issuer, and it has none: add an "issuer" section"#
            ]
        ),
        Mistake(
            "endpointsWithoutIssuer",
            Sample.tenant(
                more: #"""
                    sign_in: { endpoints: { me: /me } }
                    """#
            ),
            [
                #"8:16: "endpoints" needs the tenant's own issuer, and it has none: add an "issuer" section"#
            ]
        ),
        Mistake(
            "noEndpointsNeedNoIssuer",
            Sample.tenant(
                more: #"""
                    sign_in: { endpoints: {} }
                    """#
            ),
            []
        ),
        Mistake(
            "issueByAnIssuerThatIsNotTrusted",
            Sample.tenant(
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { apple: { path: /a, client_ids: [c], then: issue } }
                    """#
            ),
            [
                #"9:58: then issue needs the tokens of the tenant's own issuer to be good here: add "preset: built-in" to "issuers" of "authenticate""#
            ]
        ),
        Mistake(
            "endpointsOfAnIssuerThatIsNotTrusted",
            Sample.tenant(
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { endpoints: { me: /me } }
                    """#
            ),
            [
                #"9:16: "endpoints" needs the tokens of the tenant's own issuer to be good here: add "preset: built-in" to "issuers" of "authenticate""#
            ]
        ),
    ]
}
