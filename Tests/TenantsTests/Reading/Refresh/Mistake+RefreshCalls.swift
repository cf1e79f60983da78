extension Mistake {
    /// What is wrong with `refresh.call`.
    static let refreshCalls: [Mistake] = [
        Mistake(
            "refreshWithoutCallAndDeliver",
            Sample.tenant(
                more: #"""
                    refresh: {}
                    """#
            ),
            [
                #"8:5: "refresh" lacks "call": add the section"#,
                #"8:5: "refresh" lacks "deliver": add the section"#,
            ]
        ),
        Mistake(
            "refreshUnknownSend",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: json, path: /r }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:21: "send" must be one of bearer, refresh_token_json, oauth2, built_in, but is "json": choose one of them"#
            ]
        ),
        Mistake(
            "refreshNoMethod",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, method: "PO ST" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:47: "PO ST" is no method: write it like POST"#
            ]
        ),
        Mistake(
            "refreshMethodInLowerCase",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, method: post }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:47: "post" is no usual method, methods are case-sensitive: write it in capitals"#
            ]
        ),
        Mistake(
            "refreshByHead",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, method: HEAD }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:47: an answer to "HEAD" holds no token: use POST"#
            ]
        ),
        Mistake(
            "refreshBodyByGet",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r, method: GET }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:59: send refresh_token_json has a body, which "GET" has not: use POST"#
            ]
        ),
        Mistake(
            "refreshFormByGet",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r, client_id: c, method: GET }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:61: send oauth2 has a body, which "GET" has not: use POST"#
            ]
        ),
        Mistake(
            "refreshOAuthWithoutClient",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:7: send oauth2 lacks "client_id": add the name that the provider knows the app by"#
            ]
        ),
        Mistake(
            "refreshOAuthWithEmptySecret",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r, client_id: c, client_secret: "${EMPTY}" }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:68: "client_secret" is empty: fill it in, or leave it out if the client has none"#
            ]
        ),
        Mistake(
            "refreshOAuthWithOddClient",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r, client_id: "für", client_secret: "a\tb" }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:50: "client_id" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#,
                #"9:72: "client_secret" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#,
            ]
        ),
        Mistake(
            "refreshOAuthWithTheExamplesSecret",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r, client_id: c, client_secret: example-only-secret }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:68: warning: "client_secret" is the example's, which everyone knows: replace it before others can connect"#
            ]
        ),
        Mistake(
            "refreshClientForBearer",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, client_id: c, client_secret: s }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:39: "client_id" is for send oauth2 only: leave it out"#,
                #"9:53: "client_secret" is for send oauth2 only: leave it out"#,
            ]
        ),
        Mistake(
            "refreshClientForJSON",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r, client_id: c }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:51: "client_id" is for send oauth2 only: leave it out"#
            ]
        ),
        Mistake(
            "refreshBearerWithRefreshToken",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, refresh_token: /r }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:39: send bearer goes without refresh tokens: leave "refresh_token" out"#
            ]
        ),
        Mistake(
            "refreshBadPointer",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, access_token: token }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:53: "access_token" must be a JSON pointer, but is "token": it begins with "/", like /data/token"#
            ]
        ),
        Mistake(
            "refreshBadEscape",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r, refresh_token: /a~2 }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"9:66: "refresh_token" must be a JSON pointer, but is "/a~2": write "~0" for "~" and "~1" for "/" in a name (RFC 6901)"#
            ]
        ),
        Mistake(
            "refreshEmptyPointer",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r, access_token: "" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:53: "access_token" must be text, but is "": it is empty; leave the key out or fill it in"#
            ]
        ),
    ]
}
