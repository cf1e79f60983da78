extension Mistake {
    /// What is wrong with `refresh.deliver`.
    static let refreshDelivery: [Mistake] = [
        Mistake(
            "refreshDeliveredToNobody",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: {  }
                    """#
            ),
            [
                #"10:7: "deliver" names neither a header nor a cookie, so that no client gets the new token: add "header" or "cookies""#
            ]
        ),
        Mistake(
            "refreshDeliveredInNoCookie",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { cookies: {} }
                    """#
            ),
            [
                #"10:7: "deliver" names neither a header nor a cookie, so that no client gets the new token: add "header" or "cookies""#
            ]
        ),
        Mistake(
            "refreshHeaderNoFieldName",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: "X T" }
                    """#
            ),
            [
                #"10:26: "header" must be a field name, but is "X T": write it like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderSetCookie",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: Set-Cookie }
                    """#
            ),
            [
                #"10:26: "Set-Cookie" has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderConnection",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: connection }
                    """#
            ),
            [
                #"10:26: "connection" has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderContentLength",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: Content_Length }
                    """#
            ),
            [
                #"10:26: "Content_Length" has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderAuthorization",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: Authorization }
                    """#
            ),
            [
                #"10:26: "Authorization" has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderLocation",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: Location }
                    """#
            ),
            [
                #"10:26: "Location" has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderCORS",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: Access-Control-Allow-Origin }
                    """#
            ),
            [
                #"10:26: "Access-Control-Allow-Origin" has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderIdentity",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: x_user-id }
                    """#
            ),
            [
                #"10:26: "x_user-id" carries a claim already, see "identity": choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshHeaderOfOwnIdentity",
            Sample.tenant(
                more: #"""
                    identity: { headers: { X-Who: sub } }
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: x-who }
                    """#
            ),
            [
                #"11:26: "x-who" carries a claim already, see "identity": choose one like X-Refreshed-Token"#
            ]
        ),
        Mistake(
            "refreshBadCookieName",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T, cookies: { "a b": /t, "c;d": /u } }
                    """#
            ),
            [
                #"10:42: this is no cookie's name (RFC 6265 section 4.1.1): use letters, digits, "-" and "_""#,
                #"10:53: this is no cookie's name (RFC 6265 section 4.1.1): use letters, digits, "-" and "_""#,
            ]
        ),
        Mistake(
            "refreshBadCookiePointer",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { header: X-T, cookies: { a: token } }
                    """#
            ),
            [
                #"10:45: "a" must be a JSON pointer, but is "token": it begins with "/", like /data/token"#
            ]
        ),
        Mistake(
            "refreshCookiesForNobody",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      deliver: { cookies: { a: /token } }
                    """#
            ),
            [
                #"10:18: warning: nobody gets these cookies, no token is taken from one: add "cookie:NAME" to "from" of "authenticate", or a "header" here"#
            ]
        ),
        Mistake(
            "refreshCookieIsNotReplaced",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r, refresh_token: /new }
                      deliver: { header: X-T }
                      from: cookie:r
                    """#
            ),
            [
                #"10:7: each refresh replaces the refresh token, but the client never gets the new one: add the cookie that "from" names to "cookies", with "/new""#
            ]
        ),
        Mistake(
            "refreshCookieIsReplacedElsewhere",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T, cookies: { other: /refresh_token } }
                      from: cookie:r
                    """#
            ),
            [
                #"10:7: each refresh replaces the refresh token, but the client never gets the new one: add the cookie that "from" names to "cookies", with "/refresh_token""#
            ]
        ),
        Mistake(
            "refreshCookieMayNotBeReplaced",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: oauth2, path: /r, client_id: c }
                      deliver: { header: X-T }
                      from: cookie:r
                    """#
            ),
            [
                #"10:7: warning: if a refresh replaces the refresh token, the client never gets the new one: add the cookie that "from" names to "cookies", with "/refresh_token""#
            ]
        ),
        Mistake(
            "refreshCookieGetsTheAccessToken",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: refresh_token_json, path: /r }
                      deliver: { header: X-T, cookies: { r: /access_token } }
                      from: cookie:r
                    """#
            ),
            [
                #"10:45: this cookie holds the refresh token, but gets something else: write "/refresh_token""#
            ]
        ),
    ]
}
