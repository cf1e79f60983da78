import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Tenants

/// `gateway.redirect_https`.
struct SchemeDecisionTests {
    private static func pipeline(_ change: (inout Tenant) -> Void = { _ in }) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(access: [RequestPipeline.rule("/**", .anyone)])
        change(&tenant)
        let pipeline = RequestPipeline([tenant], redirectsToHTTPS: true)
        pipeline.decisionContext.source = .connection
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        return pipeline
    }

    private static func location(_ pipeline: RequestPipeline, _ bytes: [UInt8]) -> String? {
        guard case .redirect(let location) = pipeline.ask(bytes) else { return nil }
        return location
    }

    @Test(arguments: [
        ("/", "https://app.test/"), ("/a%20b/../c?d=%20&e", "https://app.test/a%20b/../c?d=%20&e"),
        ("//other.test/x", "https://app.test//other.test/x"), ("/?", "https://app.test/?"),
        ("http://app.test:8080?x=1", "https://app.test/?x=1"), ("http://app.test/x", "https://app.test/x"),
        ("/.well-known/acme-challenge", "https://app.test/.well-known/acme-challenge"),
        ("/.well-known/acme-challenge/", "https://app.test/.well-known/acme-challenge/"),
        ("/.well-known//acme-challenge/x", "https://app.test/.well-known//acme-challenge/x"),
        ("/.well-known/acme-challenge/../x", "https://app.test/.well-known/acme-challenge/../x"),
    ])
    func plainRequestIsSentToItsURLOverTLS(target: String, expected: String) throws {
        let request = RequestPipeline.request(target, method: "POST", host: "APP.test:8080")
        #expect(Self.location(try Self.pipeline(), request) == expected)
    }

    @Test func asteriskIsSentToRoot() throws {
        let request = RequestPipeline.request("*", method: "OPTIONS")
        #expect(Self.location(try Self.pipeline(), request) == "https://app.test/")
    }

    @Test func hostOfNoTenantIsRefusedAsBefore() throws {
        let refusal = try Self.pipeline().ask(RequestPipeline.request("/", host: "other.test")).refusal
        #expect(refusal?.code == .unknownHost)
    }

    @Test func challengeOfCertificateAuthorityStaysInPlainText() throws {
        let outcome = try Self.pipeline().ask(RequestPipeline.request("/.well-known/acme-challenge/a_b-C"))
        #expect(outcome.grant != nil)
    }

    @Test func tenantWithClientCertificatesIsRedirectedToo() throws {
        let pipeline = try Self.pipeline {
            $0.tls = ServerCertificate(certificateFile: "c.pem", keyFile: "k.pem", clientCAFile: "ca.pem")
        }
        #expect(Self.location(pipeline, RequestPipeline.request("/")) == "https://app.test/")
    }

    @Test func redirectComesBeforeTokenAndRules() throws {
        let pipeline = try Self.pipeline { $0.access = AccessRules([]) }
        let request = RequestPipeline.request("/", lines: ["Authorization: Bearer x.y.z"])
        #expect(Self.location(pipeline, request) == "https://app.test/")
    }

    @Test(arguments: [
        (["X-Forwarded-Proto: http"], true), (["X-Forwarded-Proto: https"], false), ([], false),
        (["X-Forwarded-Proto: http", "X-Forwarded-Proto: https"], false), (["X-Forwarded-Proto: wss"], false),
    ])
    func trustedProxyReportsTheScheme(lines: [String], isRedirected: Bool) throws {
        let pipeline = try Self.pipeline()
        pipeline.decisionContext.peer = try RequestPipeline.peer(trusted: true)
        let location = Self.location(pipeline, RequestPipeline.request("/x", lines: lines))
        #expect(location == (isRedirected ? "https://app.test/x" : nil))
    }

    @Test func clientsOwnClaimIsIgnored() throws {
        let request = RequestPipeline.request("/x", lines: ["X-Forwarded-Proto: https"])
        #expect(Self.location(try Self.pipeline(), request) == "https://app.test/x")
    }

    @Test func requestOverTLSIsNotRedirected() throws {
        let files = ServerCertificate(certificateFile: "c.pem", keyFile: "k.pem")
        let pipeline = try Self.pipeline { $0.tls = files }
        let tls = PeerTLS(serverName: "app.test", files: files, clientSubject: nil)
        pipeline.decisionContext.peer = try RequestPipeline.peer(tls: tls)
        let request = RequestPipeline.request("/x", lines: ["X-Forwarded-Proto: http"])
        #expect(Self.location(pipeline, request) == nil)
    }

    @Test(arguments: [RequestSource.forwardAuth, .extAuthz]) func otherProxysQueryIsNotRedirected(
        source: RequestSource
    ) throws {
        let pipeline = try Self.pipeline()
        pipeline.decisionContext.source = source
        #expect(Self.location(pipeline, RequestPipeline.request("/x")) == nil)
    }

    @Test func withoutTheKeyPlainRequestsPass() throws {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(access: [RequestPipeline.rule("/**", .anyone)])
        ])
        pipeline.decisionContext.source = .connection
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        #expect(pipeline.ask(RequestPipeline.request("/x")).grant != nil)
    }
}
