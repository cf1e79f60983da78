import Tenants
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy

/// `gateway.log.query`: a query in the access log, without credentials.
struct LoggedQueryTests {
    private func logged(_ query: String, _ tenant: Tenant? = nil) -> String {
        let bytes = Array("/a\(query)".utf8)
        return String(decoding: LoggedQuery.text(bytes.span, 2..<bytes.count, tenant), as: UTF8.self)
    }

    private static let harmless: [(String, String)] = [
        ("", ""), ("?", "?"), ("?&&", "?&&"), ("?page=2&sort=name", "?page=2&sort=name"), ("?flag", "?flag"),
        ("?q=a=b&c=", "?q=a=b&c="), ("?a=1;b=2", "?a=1;b=2"), ("?q=%22%0a\"", "?q=%22%0a\\\""),
        ("?author=Bob&keyboard=iso&codec=x", "?author=Bob&keyboard=iso&codec=x"),
    ]

    @Test(arguments: harmless)
    func harmlessParametersAreLogged(query: String, expected: String) {
        #expect(logged(query) == expected)
    }

    private static let secret: [(String, String)] = [
        ("?access_token=x&page=2", "?access_token=<redacted>&page=2"),
        ("?page=2&id_token=x", "?page=2&id_token=<redacted>"), ("?code=x&state=y", "?code=<redacted>&state=<redacted>"),
        ("?refused=missing_token&after=https%3A%2F%2Fa%2F%3Fcode%3Dx", "?refused=missing_token&after=<redacted>"),
        ("?CODE=x", "?CODE=<redacted>"), ("?a%63cess_%74oken=x", "?a%63cess_%74oken=<redacted>"),
        ("?X-Amz-Signature=x", "?X-Amz-Signature=<redacted>"), ("?token=", "?token=<redacted>"),
        ("?api_key=x&password=y", "?api_key=<redacted>&password=<redacted>"), ("?token=x=y==", "?token=<redacted>"),
        ("?q=eyJhbGciOiJub25lIn0.e30.", "?q=<redacted>"), ("?eyJhbGciOiJub25lIn0.e30.", "?<redacted>"),
        ("?token=x;y&z=1", "?token=<redacted>;<redacted>&z=1"), ("?a=1;token=x", "?a=1;token=<redacted>"),
    ]

    @Test(arguments: secret)
    func credentialsAreNotLogged(query: String, expected: String) {
        #expect(logged(query) == expected)
    }

    @Test func configuredTokenParametersAreRedacted() throws {
        let tenant = try RequestPipeline.tenant(from: [.bearer, .query(name: "pass-me")])
        #expect(logged("?pass-me=x&%70ass-me=y&other=z", tenant) == "?pass-me=<redacted>&%70ass-me=<redacted>&other=z")
        #expect(logged("?pass-me=x") == "?pass-me=x")
    }
}
