import Authorization
import ProxyTestSupport
import Store
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Gateway
@testable import SharedState
@testable import Tenants

/// Explanations of decisions, step by step.
struct ExplanationTests {
    private typealias Step = DecisionReport.Step

    private static let accepted = Step(step: "accept", text: "the request is well formed: GET")
    private static let found = Step(step: "token", text: "the token is found as bearer", line: 6)
    private static let good = Step(
        step: "verify",
        text: "the token is good: subject alice of https://issuer.test, expires 2027-01-15T08:10:00.000Z",
        line: 9
    )
    private static let unrevoked = Step(
        step: "revocation",
        text: "neither the token nor its session nor its subject is revoked"
    )

    private static func route(_ path: String) -> Step {
        Step(step: "route", text: "host app.test: tenant app; rules see the path \(path)", line: 4)
    }

    @Test func grantIsExplainedCompletely() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let report = try pipeline.report("/admin/jobs?x=1", token: try RequestPipeline.token(["role": "admin"]))
        #expect(
            report.steps == [
                Self.accepted, Self.route("/admin/jobs"), Self.found, Self.good, Self.unrevoked,
                Step(
                    step: "authorize",
                    text: "rule /admin/** [GET] needs one of the roles admin, owner; the caller has roles admin, which "
                        + "is enough",
                    line: 22
                ),
                Step(step: "decision", text: "forward"),
            ]
        )
        #expect(report.decision == .forward && report.observed == nil && !report.isUncertain)
    }

    @Test func redirectToHTTPSIsExplained() throws {
        var gateway = GatewaySettings(listeners: [])
        gateway.redirectsToHTTPS = true
        gateway.trustedProxies = [AddressRange(cidr: "127.0.0.1")].compactMap(\.self)
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant(), gateway: gateway)
        let report = try pipeline.report("/open/x", fields: [("X-Forwarded-Proto", "http")])
        #expect(report.decision == .answer(status: 308))
        #expect(
            report.steps.contains(
                Step(
                    step: "route",
                    text: "the client came over plain http: 308 to https on the same host (gateway.redirect_https)"
                )
            )
        )
        // Of a request whose scheme is unknown, the other decision is of interest.
        #expect(try pipeline.report("/open/x").decision == .forward)
    }

    @Test func missingRoleIsExplainedWithItsRule() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let report = try pipeline.report("/admin/jobs", token: try RequestPipeline.token())
        #expect(report.decision == .refuse(status: 403, code: "insufficient_role"))
        #expect(
            report.steps.suffix(2) == [
                Step(
                    step: "authorize",
                    text:
                        "rule /admin/** [GET] needs one of the roles admin, owner; the caller has roles customer, "
                        + "which is not enough",
                    line: 22
                ),
                Step(step: "decision", text: "refuse 403 insufficient_role"),
            ]
        )
    }

    @Test func missingTokenIsExplained() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        #expect(
            try pipeline.report("/x").steps == [
                Self.accepted, Self.route("/x"),
                Step(step: "token", text: "no token; looked for as bearer", line: 7),
                Step(
                    step: "authorize",
                    text: "no rule of access is for this path and method: a signed-in caller is needed",
                    line: 20
                ),
                Step(step: "decision", text: "refuse 401 missing_token"),
            ]
        )
        let open = try pipeline.report("/open/x")
        #expect(open.decision == .forward)
        #expect(open.steps.contains(Step(step: "authorize", text: "rule /open/** lets anyone in", line: 21)))
    }

    @Test func refusedTokenIsExplainedWithItsDefect() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let expired = try pipeline.report("/x", token: try RequestPipeline.token(["exp": -1000]))
        #expect(expired.decision == .refuse(status: 401, code: "token_expired"))
        #expect(expired.steps.contains { $0.step == "verify" && $0.line == 9 && $0.text.contains("expired") })
        let forged = try pipeline.report("/x", token: try RequestPipeline.token(forged: true))
        #expect(forged.decision == .refuse(status: 401, code: "invalid_token"))
        #expect(forged.steps.contains { $0.step == "verify" && $0.line == 9 && $0.text.contains("signature") })
        let foreign = try pipeline.report("/x", token: try RequestPipeline.token(["iss": "https://other.test"]))
        #expect(
            foreign.steps.contains {
                $0.line == 8 && $0.text.contains("of https://other.test; trusted are https://issuer.test")
            }
        )
        let rubbish = try pipeline.report("/x", token: "rubbish")
        #expect(rubbish.decision == .refuse(status: 401, code: "invalid_token"))
    }

    @Test func scopesAreExplainedAfterRoles() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let report = try pipeline.report("/write/x", token: try RequestPipeline.token())
        #expect(report.decision == .refuse(status: 403, code: "insufficient_scope"))
        let told = try #require(report.steps.last { $0.step == "authorize" })
        #expect(
            told.text == "rule /write/** needs one of the roles customer and the scopes read, delete; the caller has "
                + "roles customer and scopes read, write, which is not enough"
        )
    }

    @Test func observedRefusalIsExplainedAndForwarded() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let report = try pipeline.report("/soon/x", token: try RequestPipeline.token())
        #expect(report.decision == .forward)
        #expect(report.observed == .refuse(status: 403, code: "insufficient_role"))
        let told = try #require(report.steps.last { $0.step == "observe" })
        #expect(told.line == 24)
        #expect(told.text.hasPrefix("would be refused with 403 insufficient_role"))
        let observing = ExplainPipeline(try ExplainPipeline.tenant(mode: .observe))
        let missing = try observing.report("/x")
        #expect(missing.decision == .forward && missing.observed == .refuse(status: 401, code: "missing_token"))
        #expect(missing.steps.last { $0.step == "observe" }?.line == 30)
        #expect(missing.steps.last == Step(step: "decision", text: "forward"))
    }

    @Test func signInRefusalOfTheHeadIsExplained() throws {
        var tenant = try ExplainPipeline.tenant()
        tenant.signIn = try ExplainPipeline.forwardedSignIn()
        let pipeline = ExplainPipeline(tenant)
        #expect(try pipeline.report("/auth/apple", method: "POST").decision == .forward)
        let put = try pipeline.report("/auth/apple", method: "PUT")
        #expect(put.decision == .refuse(status: 405, code: "bad_request") && put.observed == nil)
        #expect(put.steps.contains(Step(step: "endpoint", text: "this endpoint takes POST")))
        let encoded = [(name: "Content-Encoding", value: "gzip")]
        let report = try pipeline.report("/auth/apple", method: "POST", fields: encoded)
        #expect(report.decision == .refuse(status: 415, code: "bad_request"))
        tenant.mode = .observe
        let observed = try ExplainPipeline(tenant).report("/auth/apple", method: "PUT")
        #expect(observed.decision == .forward)
        #expect(observed.observed == .refuse(status: 405, code: "bad_request"))
        #expect(observed.steps.last { $0.step == "observe" }?.line == 30)
    }

    @Test func requestWithoutTenantIsExplained() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let elsewhere = try pipeline.report("/x", host: "other.test")
        #expect(elsewhere.decision == .refuse(status: 404, code: "unknown_host"))
        #expect(elsewhere.steps.dropFirst().first?.text == "host other.test: no tenant answers for it and this path")
        var shop = try ExplainPipeline.tenant()
        shop.pathPrefix = "/shop"
        shop.stripPrefix = true
        let prefixed = ExplainPipeline(shop)
        let route =
            "host app.test: no tenant answers for it and this path; app has only /shop and what is below it (path_prefix)"
        #expect(try prefixed.report("/x").steps.dropFirst().first?.text == route)
        let stripped = try prefixed.report("/shop/x").steps.dropFirst().first?.text
        #expect(
            stripped?.hasSuffix("rules see the path /shop/x; the backend sees it without /shop (strip_prefix)") == true
        )
        let ambiguous = try pipeline.report("/x/..%2fadmin")
        #expect(ambiguous.decision == .refuse(status: 400, code: "ambiguous_path"))
        let ours = try pipeline.report("/.gatehouse/x")
        #expect(ours.decision == .refuse(status: 404, code: "unknown_host"))
        let malformed = try pipeline.report("/x", fields: [("Content-Length", "x")])
        #expect(malformed.decision == .refuse(status: 400, code: "bad_request"))
        #expect(malformed.steps.first?.text.hasPrefix("the request is malformed: ") == true)
    }

    @Test func severalTokensAndCrossSiteRequestsAreExplained() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant(from: [.cookie(name: "s"), .bearer]))
        let token = try RequestPipeline.token()
        let several = try pipeline.report("/x", token: token, fields: [("Cookie", "s=other")])
        #expect(several.decision == .refuse(status: 400, code: "bad_request"))
        #expect(several.steps.contains { $0.step == "token" && $0.text.hasPrefix("two different tokens") })
        let crossSite = try pipeline.report(
            "/x",
            method: "POST",
            token: token,
            fields: [("Origin", "https://evil.test")]
        )
        #expect(crossSite.decision == .refuse(status: 403, code: "cross_site_request"))
        let own = try pipeline.report("/x", method: "POST", token: token)
        #expect(own.decision == .forward)
    }

    @Test func tokenThatCountsIsExplained() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant(from: [.bearer, .cookie(name: "s")]))
        let (stale, good) = (try RequestPipeline.token(["exp": 1]), try RequestPipeline.token())
        let report = try pipeline.report("/x", token: stale, fields: [("Cookie", "s=\(good)")])
        #expect(report.decision == .forward)
        let texts = report.steps.filter { ["token", "verify"].contains($0.step) }.map(\.text)
        #expect(texts.count == 5)
        #expect(texts.first == "the token is found as bearer")
        #expect(texts.dropFirst().first?.hasPrefix("the token has expired") == true)
        #expect(texts.dropFirst(2).first == "the token is found as cookie:s")
        #expect(
            texts.last
                == "of several tokens the one as cookie:s counts; not the one as bearer, which is not good and is kept from "
                + "the backend"
        )
        let bob = try RequestPipeline.token(["sub": "bob"])
        let conflict = try pipeline.report("/x", token: good, fields: [("Cookie", "s=\(bob)")])
        #expect(conflict.decision == .refuse(status: 400, code: "conflicting_tokens"))
        #expect(conflict.steps.contains { $0.text.hasPrefix("the tokens as bearer and as cookie:s are good and") })
    }

    @Test func appVersionIsExplained() throws {
        var tenant = try ExplainPipeline.tenant()
        tenant.appVersion = AppVersionRules(
            header: "x-app-version",
            minimum: AppVersion("5.2.0"),
            paths: [try PathPattern("/**")],
            line: 12
        )
        let pipeline = ExplainPipeline(tenant)
        let report = try pipeline.report("/x", fields: [("X-App-Version", "5.1")])
        #expect(report.decision == .refuse(status: 426, code: "upgrade_required"))
        let step = report.steps.first { $0.step == "app_version" }
        #expect(step?.text == "the app's version is below \"minimum\" (5.2.0)" && step?.line == 12)
    }

    @Test func revocationIsExplained() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let token = try RequestPipeline.token(["jti": "t1"])
        var set = RevocationSet()
        let entry = RevocationEntry(revokedAt: RequestPipeline.now, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.token(issuer: RequestPipeline.issuer, tokenID: "t1")))
        pipeline.worker.use(RevocationUpdate(sets: ["app": set], contact: pipeline.worker.lastTick))
        let revoked = try pipeline.report("/x", token: token)
        #expect(revoked.decision == .refuse(status: 401, code: "token_revoked"))
        #expect(revoked.steps.contains { $0.step == "revocation" && $0.text.contains("was revoked") })
        pipeline.worker.use(RevocationUpdate(sets: [:], contact: nil))
        let stale = try pipeline.report("/x", token: try RequestPipeline.token())
        #expect(stale.decision == .refuse(status: 503, code: "store_unavailable"))
    }

    @Test func offlineExplanationNamesUncheckedSteps() throws {
        let pipeline = ExplainPipeline(try ExplainPipeline.tenant())
        let report = try pipeline.report("/x", token: try RequestPipeline.token(), isOffline: true)
        #expect(report.decision == .forward && !report.isUncertain)
        let told = try #require(report.steps.last { $0.step == "revocation" })
        #expect(told.text.hasPrefix("not looked up") && told.text.contains("--admin"))
    }

    @Test func requestOfAnotherTenantIsExplained() throws {
        let first = try ExplainPipeline.tenant()
        var other = try RequestPipeline.tenant(name: "other", host: "app.test", prefix: "/other")
        other.lines = ["hosts": 40]
        let fixture = EmbeddedWorker([first, other])
        var report: DecisionReport?
        Rehearsal.run(try ExplainedRequest(method: "GET", target: "/other/x"), of: first, on: fixture.worker) {
            report = $0
        }
        let told = try #require(report?.steps.dropFirst().first)
        #expect(told.line == 40)
        #expect(told.text == "host app.test and path_prefix /other: tenant other, not app; rules see the path /other/x")
    }
}
