extension Mistake {
    /// What is wrong with the paths of `sign_in`.
    static let signInPaths: [Mistake] = [
        Mistake(
            "signInPathRelative",
            Sample.tenant(
                more: #"""
                    sign_in: { google: { path: auth/google, client_ids: [c], then: issue } }
                    """#
            ),
            [
                #"8:5: warning: part of "sign_in" is not in effect yet: presets take issuer and jwks_url from here, but sign-in requests go to the backend unchecked"#,
                #"8:32: "path" is no path: a path starts with "/": write "/auth/google""#,
            ]
        ),
        Mistake(
            "signInPathPattern",
            Sample.tenant(
                more: #"""
                    sign_in: { endpoints: { me: /auth/*, logout: /auth//logout } }
                    """#
            ),
            [
                #"8:5: warning: part of "sign_in" is not in effect yet: presets take issuer and jwks_url from here, but sign-in requests go to the backend unchecked"#,
                #"8:33: "me" is one path, and "*" stands for many: write it out"#,
                #"8:50: "logout" is no path: "/auth//logout" has an empty segment: write one "/" between segments"#,
            ]
        ),
        Mistake(
            "signInPathFromTheEnvironment",
            Sample.tenant(
                more: #"""
                    sign_in: { endpoints: { me: "${CANARY}" } }
                    """#
            ),
            [
                #"8:5: warning: part of "sign_in" is not in effect yet: presets take issuer and jwks_url from here, but sign-in requests go to the backend unchecked"#,
                #"8:33: "me" is no path: it begins with "/" and has whole segments only"#,
            ]
        ),
    ]
}
