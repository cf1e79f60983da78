extension Mistake {
    /// What is wrong with where `refresh.call` goes.
    static let refreshTargets: [Mistake] = [
        Mistake(
            "refreshWithoutPath",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:7: "call" lacks "path": add a path on the backend like /api/auth/refresh, or a full URL"#
            ]
        ),
        Mistake(
            "refreshRelativePath",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: api/refresh }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: begin it with one "/", or with https://"#
            ]
        ),
        Mistake(
            "refreshPathWithoutScheme",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: //id.test/token }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: begin it with one "/", or with https://"#
            ]
        ),
        Mistake(
            "refreshPathPattern",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /api/** }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: it is one path, and "*" stands for many; write it out"#
            ]
        ),
        Mistake(
            "refreshPathWithSpace",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "/api/re fresh" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: percent-encode the characters that no URL holds"#
            ]
        ),
        Mistake(
            "refreshPathWithControlCharacter",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "/api/re\r\nfresh" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: percent-encode the characters that no URL holds"#
            ]
        ),
        Mistake(
            "refreshPathWithFragment",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "/api/refresh#now" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                ##"9:35: "path" must be a path on the backend or a full URL: leave "#" and what follows it out, it is never sent"##
            ]
        ),
        Mistake(
            "refreshPathWithDotSegment",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /api/../refresh }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: leave its dot segments out"#
            ]
        ),
        Mistake(
            "refreshPathInUnicode",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /erneuern/für }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: percent-encode the characters that no URL holds"#
            ]
        ),
        Mistake(
            "refreshPathFromTheEnvironment",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "${CANARY}" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be a path on the backend or a full URL: begin it with one "/", or with https://"#
            ]
        ),
        Mistake(
            "refreshURLInTheClear",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "http://id.test/token" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "refreshURLWithUser",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "https://u:p@id.test/token" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be an https:// address (http:// only on loopback): leave the user and the password out, nobody is asked for them"#
            ]
        ),
        Mistake(
            "refreshURLOfAnotherScheme",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "ftp://id.test/token" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:35: "path" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "refreshURLWithFragment",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: "https://id.test/token#a" }
                      deliver: { header: X-T }
                    """#
            ),
            [
                ##"9:35: "path" must be an https:// address (http:// only on loopback): leave "#" and what follows it out, it is never sent"##
            ]
        ),
    ]
}
