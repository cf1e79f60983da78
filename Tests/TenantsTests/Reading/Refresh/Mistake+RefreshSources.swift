extension Mistake {
    /// What is wrong with where refresh tokens come from, and when they are used.
    static let refreshSources: [Mistake] = [
        Mistake(
            "refreshFromNothingKnown",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: header:X
                    """#
            ),
            [
                #"11:13: "from" must be cookie:NAME or vault, but "header:X" is neither: write one of these"#
            ]
        ),
        Mistake(
            "refreshFromCookieWithBadName",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: "cookie:a b"
                    """#
            ),
            [
                #"11:13: "from" must be cookie:NAME or vault, but "cookie:a b" is neither: the name after the colon has letters, digits, "-" and "_""#
            ]
        ),
        Mistake(
            "refreshFromCookieWithoutName",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: "cookie:"
                    """#
            ),
            [
                #"11:13: "from" must be cookie:NAME or vault, but "cookie:" is neither: the name after the colon has letters, digits, "-" and "_""#
            ]
        ),
        Mistake(
            "refreshFromTheEnvironment",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: "${CANARY}"
                    """#
            ),
            [
                #"11:13: "from" must be cookie:NAME or vault, but the value of CANARY is neither: write one of these"#
            ]
        ),
        Mistake(
            "refreshBearerWithFrom",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T }
                      from: cookie:r
                    """#
            ),
            [
                #"11:7: send bearer sends the access token itself: leave "from" out"#
            ]
        ),
        Mistake(
            "refreshBearerWithVault",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"11:7: send bearer sends the access token itself: leave "from" out"#
            ]
        ),
        Mistake(
            "refreshJSONWithoutFrom",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:21: send refresh_token_json needs a refresh token: say where it is with "from: cookie:NAME" or "from: vault" beside "call""#
            ]
        ),
        Mistake(
            "refreshOAuthWithoutFrom",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r, client_id: c }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:21: send oauth2 needs a refresh token: say where it is with "from: cookie:NAME" or "from: vault" beside "call""#
            ]
        ),
        Mistake(
            "refreshVaultWithoutCapture",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: vault
                    """#
            ),
            [
                #"11:13: "from: vault" needs to know which answers hold refresh tokens: add "vault" with "capture""#
            ]
        ),
        Mistake(
            "refreshCaptureWithoutFromVault",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T, cookies: { r: /refresh_token } }
                      from: cookie:r
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"12:7: "vault" is never looked into without "from: vault": add that, or leave "vault" out"#
            ]
        ),
        Mistake(
            "refreshCaptureForBearer",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T }
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"11:7: "vault" is never looked into without "from: vault": add that, or leave "vault" out"#
            ]
        ),
        Mistake(
            "refreshEmptyVault",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: vault
                      vault: {}
                    """#
            ),
            [
                #"12:7: "vault" lacks "capture": add "capture: [{ path: /api/auth/login }]""#
            ]
        ),
        Mistake(
            "refreshBadCapturePath",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: login }, { path: "/log*" }] }
                    """#
            ),
            [
                #"12:34: "path" is no path: a path starts with "/": write "/login""#,
                #"12:51: "path" is no path: "/log*": "*" stands for a whole segment and "**" for the end of the path"#,
            ]
        ),
        Mistake(
            "refreshBadCapturePathFromTheEnvironment",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: "${CANARY}" }] }
                    """#
            ),
            [
                #"12:34: "path" is no path: it begins with "/" and has whole segments only"#
            ]
        ),
        Mistake(
            "refreshBadCapturePointers",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /a, access_token: token, refresh_token: "/a~b" }] }
                    """#
            ),
            [
                #"12:52: "access_token" must be a JSON pointer, but is "token": it begins with "/", like /data/token"#,
                #"12:74: "refresh_token" must be a JSON pointer, but is "/a~b": write "~0" for "~" and "~1" for "/" in a name (RFC 6901)"#,
            ]
        ),
        Mistake(
            "refreshThatNothingTriggers",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T }
                      on_401: false
                      within: 0s
                    """#
            ),
            [
                #"8:5: warning: nothing ever leads to a refresh: leave "on_401" on, or give "within" or "grace""#
            ]
        ),
        Mistake(
            "refreshOfAnUnknownKey",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T }
                      on401: true
                    """#
            ),
            [
                #"11:7: unknown key "on401": did you mean "on_401"?"#
            ]
        ),
    ]
}
