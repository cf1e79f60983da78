import Authorization
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Which requests with a cookie are refused, because another site's page may be behind them.
struct CrossSiteGuardTests {
    private static let origins: [(name: String, value: String?, row: String)] = [
        // For Sec-Fetch-Site absent, same-origin, none, same-site, cross-site, and what no browser sends.
        ("none", nil, "+++---"), ("own", "http://app.test", "+++---"),
        ("own with port", "http://app.test:80", "+++---"),
        ("own in capitals", "HTTP://APP.test", "+++---"), ("trusted", "https://front.test", "++++++"),
        ("trusted with port", "https://Front.test:443", "++++++"), ("foreign", "https://evil.test", "------"),
        ("neighbour", "http://other.app.test", "------"), ("other scheme", "https://app.test", "------"),
        ("other port", "http://app.test:8080", "------"), ("longer", "http://app.test.evil.test", "------"),
        ("shorter", "http://app.tes", "------"), ("with path", "http://app.test/", "------"),
        ("two in one", "http://app.test http://evil.test", "------"), ("null", "null", "------"),
        ("empty", "", "------"),
    ]
    private static let sites: [String?] = [nil, "same-origin", "none", "same-site", "cross-site", "Same-Origin"]

    private static func pipeline(_ from: [TokenSource], mode: Tenant.Mode = .enforce, open: Bool = false) throws
        -> RequestPipeline
    {
        let rules = open ? [try RequestPipeline.rule("/**", .anyone)] : []
        var tenant = try RequestPipeline.tenant(from: from, access: rules)
        tenant.crossSite = CrossSiteRules(trustedOrigins: ["https://front.test"], mode: mode, line: 7)
        let pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        return pipeline
    }

    private static func lines(_ origin: String?, _ site: String?) -> [String] {
        (origin.map { ["Origin: \($0)"] } ?? []) + (site.map { ["Sec-Fetch-Site: \($0)"] } ?? [])
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get", "X"])
    func everyCombinationIsDecided(method: String) throws {
        let token = try RequestPipeline.token()
        let isSafe = ["GET", "HEAD", "OPTIONS"].contains(method)
        let sources: [(source: TokenSource, line: String, isCookie: Bool)] = [
            (.cookie(name: "session"), "Cookie: a=b; session=\(token)", true),
            (.bearer, "Authorization: Bearer \(token)", false),
            (.header(name: "X-Token"), "X-Token: \(token)", false),
        ]
        for source in sources {
            let pipeline = try Self.pipeline([source.source])
            for origin in Self.origins {
                for (site, mark) in zip(Self.sites, origin.row) {
                    let lines = [source.line] + Self.lines(origin.value, site)
                    let decision = pipeline.ask(RequestPipeline.request("/a", method: method, lines: lines))
                    let isGranted = !source.isCookie || isSafe || mark == "+"
                    let what = "\(method) \(source.source) origin \(origin.name) site \(site ?? "absent")"
                    #expect((decision.grant?.caller != nil) == isGranted, "\(what)")
                    #expect(isGranted || decision.refusal == .crossSite, "\(what)")
                }
            }
        }
    }

    @Test(arguments: [
        ["Upgrade: websocket", "Connection: upgrade"], ["upgrade: WebSocket/13"], ["Upgrade: h2c, websocket"],
        ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="], ["sec_websocket_key: x"], ["Sec-WebSocket-Version: 13"],
    ])
    func webSocketHandshakeIsCheckedWhateverItsMethod(fields: [String]) throws {
        let pipeline = try Self.pipeline([.cookie(name: "session")])
        let cookie = "Cookie: session=\(try RequestPipeline.token())"
        for origin in Self.origins {
            for (site, mark) in zip(Self.sites, origin.row) {
                let lines = [cookie] + fields + Self.lines(origin.value, site)
                let decision = pipeline.ask(RequestPipeline.request("/a", lines: lines))
                #expect((decision.grant != nil) == (mark == "+"), "\(origin.name) \(site ?? "absent")")
            }
        }
        // Another upgrade is none.
        let other = [cookie, "Upgrade: h2c", "Connection: upgrade", "Origin: https://evil.test"]
        #expect(pipeline.ask(RequestPipeline.request("/a", lines: other)).grant != nil)
    }

    @Test(arguments: [
        ["Origin: http://app.test", "Origin: https://evil.test"],
        ["Origin: http://app.test", "Origin: http://app.test"],
        ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], ["Sec_Fetch_Site: same-origin"],
        ["Origin: https://front.test", "Sec_Fetch_Site: same-origin"],
    ])
    func whatCanBeReadInTwoWaysIsRefused(lines: [String]) throws {
        let pipeline = try Self.pipeline([.cookie(name: "session")])
        let all = ["Cookie: session=\(try RequestPipeline.token())"] + lines
        #expect(pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: all)).refusal == .crossSite)
        #expect(pipeline.ask(RequestPipeline.request("/a", lines: all)).grant != nil)
    }

    @Test func checkAppliesToTheDecidingToken() throws {
        let token = try RequestPipeline.token()
        let lines = ["Cookie: session=\(token)", "Authorization: Bearer \(token)", "Origin: https://evil.test"]
        let post = RequestPipeline.request("/a", method: "POST", lines: lines)
        #expect(try Self.pipeline([.bearer, .cookie(name: "session")]).ask(post).grant != nil)
        #expect(try Self.pipeline([.cookie(name: "session"), .bearer]).ask(post).refusal == .crossSite)
        // A cookie that is no token source is ignored.
        #expect(try Self.pipeline([.bearer]).ask(post).grant != nil)
    }

    @Test func crossSiteRequestOnOpenPathHasNoIdentity() throws {
        let pipeline = try Self.pipeline([.cookie(name: "session")], open: true)
        let foreign = ["Origin: https://evil.test"]
        let cookie = ["Cookie: session=\(try RequestPipeline.token())"]
        #expect(
            pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: cookie + foreign)).refusal == .crossSite
        )
        let forged = ["Cookie: session=\(try RequestPipeline.token(forged: true))"]
        #expect(
            pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: forged + foreign)).refusal == .crossSite
        )
        #expect(pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: foreign)).grant?.caller == nil)
        #expect(pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: foreign)).grant != nil)
        #expect(pipeline.ask(RequestPipeline.request("/a", lines: cookie + foreign)).grant?.caller != nil)
    }

    /// The attacker adds a token that is no good in a place that he can fill: the cookie reaches the backend all the
    /// same.
    @Test func invalidTokenElsewhereDoesNotHideTheCookie() throws {
        let from: [TokenSource] = [.query(name: "t"), .header(name: "X-Token"), .bearer, .cookie(name: "session")]
        let cookie = "Cookie: session=\(try RequestPipeline.token())"
        let forged = try RequestPipeline.token(forged: true)
        let past = try RequestPipeline.token(["exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) - 3600))])
        // An attacker with an account has a valid one.
        let theirs = try RequestPipeline.token(["sub": "mallory"])
        func post(_ target: String, _ lines: [String]) -> [UInt8] {
            RequestPipeline.request(target, method: "POST", lines: lines)
        }
        for open in [true, false] {
            let pipeline = try Self.pipeline(from, open: open)
            for lines in [[cookie, "Origin: https://evil.test"], [cookie, "Sec-Fetch-Site: cross-site"]] {
                for token in ["x", forged, past, theirs] {
                    #expect(pipeline.ask(post("/a?t=\(token)", lines)).refusal == .crossSite, "\(open) \(token)")
                    let header = lines + ["X-Token: \(token)"]
                    #expect(pipeline.ask(post("/a", header)).refusal == .crossSite, "\(open) \(token)")
                }
            }
        }
        let pipeline = try Self.pipeline(from, open: true)
        let foreign = ["Origin: https://evil.test"]
        #expect(pipeline.ask(post("/a?t=x", [cookie, "Origin: http://app.test"])).grant != nil)
        #expect(pipeline.ask(post("/a?t=x", [cookie])).grant != nil)
        #expect(pipeline.ask(post("/a?t=x", foreign)).grant != nil)
        #expect(pipeline.ask(post("/a?t=x", ["Cookie: other=1"] + foreign)).grant != nil)
        #expect(pipeline.ask(RequestPipeline.request("/a?t=x", lines: [cookie] + foreign)).grant != nil)
        // No page sends this one without being allowed to; but beside a token that is bad the cookie counts.
        let good = "Authorization: Bearer \(try RequestPipeline.token())"
        #expect(pipeline.ask(post("/a", [good, cookie] + foreign)).grant != nil)
        #expect(pipeline.ask(post("/a", ["Authorization: Bearer x", cookie] + foreign)).refusal == .crossSite)
    }

    /// The order of the phases: what another site's page brings is not looked at.
    @Test(arguments: ["Cookie: session=", "X-Token: "])
    func crossSiteRequestIsRefusedBeforeItsTokenIsVerified(field: String) throws {
        let pipeline = try Self.pipeline([.header(name: "X-Token"), .cookie(name: "session")])
        let token = try RequestPipeline.token(forged: true)
        let lines = ["Cookie: other=1; session=\(token)", "Origin: https://evil.test", field + token]
        let explanation = Explanation()
        pipeline.decisionContext.explanation = explanation
        let request = RequestPipeline.request("/a", method: "POST", lines: lines)
        #expect(pipeline.ask(request).refusal == .crossSite)
        #expect(explanation.entries.map(\.step) == [.route, .token, .csrf])
        #expect(pipeline.authorizer.authenticator.cacheCounts.misses == 0)
    }

    @Test func strippedCookieIsNotChecked() throws {
        var tenant = try RequestPipeline.tenant(
            from: [.query(name: "t"), .cookie(name: "session")],
            access: [RequestPipeline.rule("/**", .anyone)]
        )
        tenant.identity.token = .strip
        let pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        let lines = ["Cookie: session=\(try RequestPipeline.token())", "Origin: https://evil.test"]
        // It counts beside a token that is bad, and not beside a good one.
        let good = "/a?t=\(try RequestPipeline.token())"
        #expect(pipeline.ask(RequestPipeline.request(good, method: "POST", lines: lines)).grant != nil)
        #expect(pipeline.ask(RequestPipeline.request("/a?t=x", method: "POST", lines: lines)).refusal == .crossSite)
        #expect(pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: lines)).refusal == .crossSite)
    }

    @Test func invalidTokenThatHidesACookieIsObservedToo() throws {
        let pipeline = try Self.pipeline([.query(name: "t"), .cookie(name: "session")], mode: .observe, open: true)
        let lines = ["Cookie: session=\(try RequestPipeline.token())", "Origin: https://evil.test"]
        let decision = pipeline.ask(RequestPipeline.request("/a?t=x", method: "POST", lines: lines))
        #expect(decision.grant?.outcome == .refused(.crossSiteRequest))
        #expect(pipeline.decisionContext.observed?.line == 7)
    }

    @Test func observedRequestIsForwardedAndNoted() throws {
        let pipeline = try Self.pipeline([.cookie(name: "session")], mode: .observe)
        let lines = ["Cookie: session=\(try RequestPipeline.token())", "Origin: https://evil.test"]
        let decision = pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: lines))
        #expect(decision.grant?.outcome == .refused(.crossSiteRequest))
        #expect(pipeline.decisionContext.observed?.refusal == .crossSite)
        #expect(pipeline.decisionContext.observed?.line == 7)
    }

    // MARK: The request's own origin

    struct Own: Sendable {
        var origin: String
        var host: String
        var isAllowed: Bool
    }

    private func expect(_ cases: [Own], from peer: Peer, lines: [String] = []) throws {
        for one in cases {
            var tenant = try RequestPipeline.tenant(from: [.cookie(name: "session")])
            tenant.hosts = [.exact("app.test"), .exact("[2001:db8::1]")]
            let pipeline = RequestPipeline([tenant])
            pipeline.decisionContext.peer = peer
            let all = ["Cookie: session=\(try RequestPipeline.token())", "Origin: \(one.origin)"] + lines
            let decision = pipeline.ask(RequestPipeline.request("/a", method: "POST", host: one.host, lines: all))
            #expect((decision.grant != nil) == one.isAllowed, "\(one.origin) at \(one.host)")
        }
    }

    @Test func originIsSchemeHostAndPort() throws {
        let plain = [
            Own(origin: "http://app.test", host: "app.test", isAllowed: true),
            Own(origin: "http://app.test", host: "APP.test:80", isAllowed: true),
            Own(origin: "http://app.test", host: "app.test:", isAllowed: true),
            Own(origin: "http://app.test:8080", host: "app.test:8080", isAllowed: true),
            Own(origin: "http://[2001:db8::1]", host: "[2001:DB8::1]", isAllowed: true),
            Own(origin: "http://[2001:db8::1]:81", host: "[2001:db8::1]:81", isAllowed: true),
            Own(origin: "http://app.test", host: "app.test:8080", isAllowed: false),
            Own(origin: "http://app.test:443", host: "app.test", isAllowed: false),
            Own(origin: "https://app.test", host: "app.test", isAllowed: false),
            Own(origin: "https://app.test", host: "app.test:443", isAllowed: false),
            Own(origin: "http://", host: "app.test", isAllowed: false),
            Own(origin: "app.test", host: "app.test", isAllowed: false),
            Own(origin: "ftp://app.test", host: "app.test", isAllowed: false),
        ]
        try expect(plain, from: RequestPipeline.peer())
        // Forwarding headers of untrusted peers are ignored.
        try expect(plain, from: RequestPipeline.peer(), lines: ["X-Forwarded-Proto: https"])
        try expect(plain, from: RequestPipeline.peer(trusted: true), lines: ["X-Forwarded-Proto: HTTP"])
    }

    @Test func schemeBehindATrustedProxyIsWhatItReports() throws {
        let secured = [
            Own(origin: "https://app.test", host: "app.test", isAllowed: true),
            Own(origin: "https://app.test", host: "app.test:443", isAllowed: true),
            Own(origin: "https://app.test:8443", host: "app.test:8443", isAllowed: true),
            Own(origin: "http://app.test", host: "app.test", isAllowed: false),
            Own(origin: "https://app.test", host: "app.test:80", isAllowed: false),
        ]
        try expect(secured, from: RequestPipeline.peer(trusted: true), lines: ["X-Forwarded-Proto: https"])
    }

    @Test func eitherSchemeIsAcceptedIfUnknown() throws {
        let unknown = [
            Own(origin: "https://app.test", host: "app.test", isAllowed: true),
            Own(origin: "http://app.test", host: "app.test", isAllowed: true),
            Own(origin: "https://app.test", host: "app.test:443", isAllowed: true),
            Own(origin: "http://app.test", host: "app.test:443", isAllowed: false),
            Own(origin: "https://evil.test", host: "app.test", isAllowed: false),
        ]
        try expect(unknown, from: RequestPipeline.peer(trusted: true))
        try expect(unknown, from: RequestPipeline.peer(trusted: true), lines: ["X-Forwarded-Proto: https, http"])
        let twice = ["X-Forwarded-Proto: https", "X-Forwarded-Proto: http"]
        try expect(unknown, from: RequestPipeline.peer(trusted: true), lines: twice)
    }

    @Test func absoluteTargetNamesTheHost() throws {
        let pipeline = try Self.pipeline([.cookie(name: "session")])
        let lines = ["Cookie: session=\(try RequestPipeline.token())", "Origin: http://app.test:81"]
        let target = "http://app.test:81/a"
        #expect(
            pipeline.ask(RequestPipeline.request(target, method: "POST", host: "app.test", lines: lines)).grant != nil
        )
        #expect(
            pipeline.ask(RequestPipeline.request("/a", method: "POST", host: "app.test", lines: lines)).refusal
                == .crossSite
        )
    }

    @Test func explanationHasTheReason() throws {
        let pipeline = try Self.pipeline([.cookie(name: "session")])
        let cookie = "Cookie: session=\(try RequestPipeline.token())"
        let cases: [(lines: [String], text: String)] = [
            (["Origin: https://front.test"], "csrf.trusted_origins"),
            (["Origin: http://app.test"], "the request's own"),
            (["Origin: http://app.test", "Sec-Fetch-Site: cross-site"], "another site asked"),
            (["Origin: https://evil.test"], "neither the request's own nor trusted"),
            (["Sec-Fetch-Site: none"], "no other site asked"), (["Sec-Fetch-Site: same-site"], "another site asked"),
            ([], "no browser asked"),
        ]
        for one in cases {
            let explanation = Explanation()
            pipeline.decisionContext.explanation = explanation
            _ = pipeline.ask(RequestPipeline.request("/a", method: "POST", lines: [cookie] + one.lines))
            let entry = try #require(explanation.entries.first { $0.step == .csrf })
            #expect(entry.text.contains(one.text))
            #expect(entry.line == 7)
        }
    }
}
