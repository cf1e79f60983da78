extension Mistake {
    /// What is wrong with `cors`, `csrf` and `headers`.
    static let browsers = origins + fields

    private static let origins: [Mistake] = [
        Mistake(
            "originsThatAreNone",
            Sample.tenant(
                more: #"""
                    csrf: { trusted_origins: ["https://a.test", "https://a.test/", "a.test", "*", "${CANARY}", "https://u:canary@a.test", "null", "https://*.a.test", "capacitor://a:1"] }
                    """#
            ),
            [
                #"8:49: "https://a.test/" is no origin: write the scheme, the host and the port alone, like https://app.example.com"#,
                #"8:68: "a.test" is no origin: write it like https://app.example.com"#,
                #"8:78: "*" is no origin: write it like https://app.example.com"#,
                #"8:83: the value of CANARY is no origin: write it like https://app.example.com"#,
                #"8:96: a URL with a user or a password is no origin: write the scheme, the host and the port alone, like https://app.example.com"#,
                #"8:123: "null" is no origin: write it like https://app.example.com"#,
                #"8:131: "https://*.a.test" is no origin: name each host in full, like https://app.example.com"#,
                #"8:151: "capacitor://a:1" is no origin: a name has letters, digits, "-" and dots"#,
            ]
        ),
        Mistake("everyOriginWithoutCookies", Sample.tenant(more: #"cors: { origins: ["*"] }"#), []),
        Mistake(
            "everyOriginWithCookies",
            Sample.tenant(more: #"cors: { origins: ["*", "https://a.test"], credentials: true }"#),
            [
                #"8:23: "*" with "credentials" would let every site act for who is signed in: name the origins, like https://app.example.com, or leave "credentials" out"#
            ]
        ),
        Mistake(
            "everyOriginAndOneMore",
            Sample.tenant(more: #"cors: { origins: ["https://a.test", "*"] }"#),
            [
                #"8:41: "*" stands for every origin: leave the others out, or "*""#
            ]
        ),
        Mistake(
            "noOrigins",
            Sample.tenant(more: #"cors: { origins: [] }"#),
            [
                #"8:22: "origins" is empty: give at least 1, for example [https://app.example.com]"#
            ]
        ),
        Mistake(
            "exposedThatAreNoFields",
            Sample.tenant(more: #"cors: { origins: ["https://a.test"], expose: ["*", "X Y", X-Good] }"#),
            [
                #"8:51: "*" is no field name: write it like X-Total-Count"#,
                #"8:56: "X Y" is no field name: write it like X-Total-Count"#,
            ]
        ),
        Mistake(
            "crossSiteObserved",
            Sample.tenant(more: #"csrf: { mode: observe }"#),
            [
                #"8:19: warning: mode observe lets other sites' pages act with a visitor's cookies: use it for a migration only"#
            ]
        ),
        Mistake(
            "crossSiteOff",
            Sample.tenant(more: #"csrf: { mode: off }"#),
            [
                #"8:19: "mode" must be one of enforce, observe, but is "off": choose one of them"#
            ]
        ),
    ]

    private static let fields: [Mistake] = [
        Mistake(
            "requestFieldsThatAreNotForChanging",
            Sample.tenant(
                auth: #"from: [bearer, "cookie:c", "header:X-Api-Token"]"#,
                more: #"""
                    identity: { headers: { X-Me: sub } }
                    headers:
                      request:
                        set: { Host: a, Transfer_Encoding: b, X-Forwarded-For: c, X_Me: d, Via: e, Sec-WebSocket-Key: f }
                        remove: [Authorization, Cookie, x_api_token, X-Verified-Email, "X Y"]
                    """#
            ),
            [
                #"12:16: "Host" frames the message or is the connection's: leave it out"#,
                #"12:25: "Transfer_Encoding" frames the message or is the connection's: leave it out"#,
                #"12:47: "X-Forwarded-For" is written by the gateway: leave it out"#,
                #"12:67: "X_Me" says who the caller is: change "identity" instead"#,
                #"12:76: "Via" is written by the gateway: leave it out"#,
                #"12:84: "Sec-WebSocket-Key" is part of the WebSocket handshake: leave it out"#,
                #"13:18: "Authorization" may hold the caller's token: see "identity.token" for whether the backend gets it"#,
                #"13:33: "Cookie" may hold the caller's token: see "identity.token" for whether the backend gets it"#,
                #"13:41: "x_api_token" may hold the caller's token: see "identity.token" for whether the backend gets it"#,
                #"13:54: "X-Verified-Email" is written by the gateway: leave it out"#,
                #"13:72: "X Y" is no field name: write it like X-Served-By"#,
            ]
        ),
        Mistake(
            "responseFieldsThatAreNotForChanging",
            Sample.tenant(
                more: #"""
                    headers:
                      response:
                        set: { Content-Length: 1, Set-Cookie: a, Access-Control-Allow-Origin: b, Vary: c, RateLimit: d }
                        remove: [WWW-Authenticate, Connection, Content-Type]
                    """#
            ),
            [
                #"10:16: "Content-Length" frames the message or is the connection's: leave it out"#,
                #"10:35: "Set-Cookie" is part of what answers say, the gateway's own too: leave it out"#,
                #"10:50: "Access-Control-Allow-Origin" is written by "cors": use that"#,
                #"10:82: "Vary" is written by "cors": use that"#,
                #"10:91: "RateLimit" is part of what answers say, the gateway's own too: leave it out"#,
                #"11:18: "WWW-Authenticate" is part of what answers say, the gateway's own too: leave it out"#,
                #"11:36: "Connection" frames the message or is the connection's: leave it out"#,
                #"11:48: "Content-Type" frames the message or is the connection's: leave it out"#,
            ]
        ),
        Mistake(
            "responseFieldsOfTrailers",
            Sample.tenant(
                more: #"""
                    headers:
                      response:
                        remove: [grpc-status, Grpc_Message, Trailer, Te]
                    """#
            ),
            [
                #"10:18: "grpc-status" is gRPC's, which ends with it: leave it out"#,
                #"10:31: "Grpc_Message" is gRPC's, which ends with it: leave it out"#,
                #"10:45: "Trailer" frames the message or is the connection's: leave it out"#,
                #"10:54: "Te" frames the message or is the connection's: leave it out"#,
            ]
        ),
        Mistake(
            "fieldTwice",
            Sample.tenant(
                more: #"""
                    headers:
                      response:
                        set: { X-One: a, x_one: b }
                        remove: [X-ONE, Server, server]
                    """#
            ),
            [
                #"10:26: "x_one" is the same field as in line 10: leave one out"#,
                #"11:18: "X-ONE" is the same field as in line 10: leave one out"#,
                #"11:33: "server" is the same field as in line 11: leave one out"#,
            ]
        ),
        Mistake(
            "valuesThatNoFieldHas",
            Sample.tenant(
                more: #"""
                    headers:
                      request:
                        set:
                          X-One: "a\r\nX-Admin: canary"
                          X-Two: " canary"
                          X-Three: "canary\t"
                          X-Four: "kän"
                          X-Five: "a\0"
                          X-Six: "${CANARY}"
                          X-Seven: ""
                    """#
            ),
            [
                #"11:18: the value of "X-One" has a line break or another control character: a field has one line"#,
                #"12:18: the value of "X-Two" begins or ends with white space, which would be lost: leave it out"#,
                #"13:20: the value of "X-Three" begins or ends with white space, which would be lost: leave it out"#,
                #"14:19: the value of "X-Four" has characters beyond ASCII: encode them"#,
                #"15:19: the value of "X-Five" has a line break or another control character: a field has one line"#,
                #"17:20: the value of "X-Seven" is empty: give one, or name the field in "remove""#,
            ]
        ),
    ]
}
