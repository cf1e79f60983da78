import HTTPCore
import SharedState
import Tenants
import Testing
import Time
import UpstreamTestSupport

@testable import Authorization
@testable import Proxy

/// The exact fields that a client gets.
struct DeliveryFieldsTests {
    /// 2027-01-15 08:00:00 UTC.
    private static let now = UnixTime(1_800_000_000)
    private static let header = RefreshDeliveryWay(header: "X-New-Token", cookies: [])
    private static let cookies = RefreshDeliveryWay(
        header: nil,
        cookies: ["access", "refresh", "past", "never", "fraction"].map { RefreshDeliveryWay.Cookie($0) }
    )
    private static let attributes = "Path=/; HttpOnly; SameSite=Lax; Secure\r\n"

    private func lines(_ renewal: Renewal, _ way: RefreshDeliveryWay, grace: Double = 0, at now: UnixTime = now)
        -> String
    {
        DeliveryFields.delivering(renewal.delivered, way, grace: grace, at: now).map { "\($0.line)\r\n" }.joined()
    }

    @Test func cookieIsRenewedAndClearedWithItsRules() throws {
        let rules = CookieRules(domain: "example.com", sameSite: .none)
        let way = RefreshDeliveryWay(header: nil, cookies: [.init("access", rules)])
        let attributes = "; Path=/; HttpOnly; SameSite=None; Secure; Domain=example.com\r\n"
        let delivered = lines(try SampleRenewal.renewal([SampleRenewal.cookie("access", "new")]), way)
        #expect(delivered.hasSuffix(attributes))
        #expect(delivered.contains("Set-Cookie: access=; Max-Age=0; "), "the host's own, which would be sent beside it")
        #expect(DeliveryFields.clearing(way).map { "\($0.line)\r\n" }.joined().hasSuffix(attributes))
    }

    @Test func deliveredHeaderIsExposedAndNotCached() throws {
        let renewal = try SampleRenewal.renewal([SampleRenewal.cookie("access", "new")])
        let expected =
            "Cache-Control: no-store\r\nX-New-Token: new\r\nAccess-Control-Expose-Headers: X-New-Token\r\n"
        #expect(lines(renewal, Self.header) == expected)
    }

    @Test func cookiesHaveAttributes() throws {
        let renewal = try SampleRenewal.renewal([
            SampleRenewal.cookie("access", "new", expiresAt: Self.now + 600), SampleRenewal.cookie("refresh", "r2"),
        ])
        let expected =
            "Cache-Control: no-store\r\n"
            + "Set-Cookie: access=new; Max-Age=600; Expires=Fri, 15 Jan 2027 08:10:00 GMT; \(Self.attributes)"
            + "Set-Cookie: refresh=r2; \(Self.attributes)"
        #expect(lines(renewal, Self.cookies) == expected)
    }

    /// Its lifetime; a refresh token is useless after its expiry.
    @Test func onlyAccessCookieOutlivesTokenByGrace() throws {
        let renewal = try SampleRenewal.renewal([
            SampleRenewal.cookie("access", "new", expiresAt: Self.now + 600),
            SampleRenewal.cookie("refresh", "r2", expiresAt: Self.now + 600),
        ])
        let text = lines(renewal, Self.cookies, grace: 3600)
        #expect(text.contains("access=new; Max-Age=4200; Expires=Fri, 15 Jan 2027 09:10:00 GMT; "))
        #expect(text.contains("refresh=r2; Max-Age=600; Expires=Fri, 15 Jan 2027 08:10:00 GMT; "))
    }

    @Test func extremeExpiryIsValidDate() throws {
        let renewal = try SampleRenewal.renewal([
            SampleRenewal.cookie("past", "a", expiresAt: 5), SampleRenewal.cookie("never", "b", expiresAt: 1e300),
            SampleRenewal.cookie("fraction", "c", expiresAt: Self.now + 1.9),
        ])
        let text = lines(renewal, Self.cookies, at: Self.now + 0.5)
        #expect(text.contains("past=a; Max-Age=0; Expires=Fri, 15 Jan 2027 08:00:00 GMT; "))
        #expect(text.contains("never=b; Max-Age=4000000000; Expires="))
        #expect(text.contains("fraction=c; Max-Age=1; Expires=Fri, 15 Jan 2027 08:00:01 GMT; "))
    }

    @Test func onlyCookiesOfClientDeliveryAreSet() throws {
        let renewal = try SampleRenewal.renewal([
            SampleRenewal.cookie("access", "new"), SampleRenewal.cookie("refresh", "r2"),
        ])
        let way = RefreshDeliveryWay(header: "X-New-Token", cookies: [.init("refresh")])
        let expected =
            "Cache-Control: no-store\r\nX-New-Token: new\r\nAccess-Control-Expose-Headers: X-New-Token\r\n"
            + "Set-Cookie: refresh=r2; \(Self.attributes)"
        #expect(lines(renewal, way) == expected)
    }

    @Test func clearingRemovesEveryCookieOfDelivery() {
        let gone = "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; \(Self.attributes)"
        let expected = "Cache-Control: no-store\r\nSet-Cookie: access=; \(gone)Set-Cookie: refresh=; \(gone)"
        let way = RefreshDeliveryWay(header: nil, cookies: [.init("access"), .init("refresh")])
        #expect(DeliveryFields.clearing(way).map { "\($0.line)\r\n" }.joined() == expected)
        #expect(DeliveryFields.clearing(Self.header).isEmpty)
    }

    @Test func cachingFieldsAreReplaced() throws {
        let fields = DeliveryFields.delivering(
            try SampleRenewal.renewal().delivered,
            Self.header,
            grace: 0,
            at: Self.now
        )
        let names = [
            "Cache-Control", "expires", "CDN-Cache-Control", "Pragma", "x-new-token", "Set-Cookie",
            "Access-Control-Expose-Headers", "Content-Type", "X-New-Tokens", "X-New",
        ]
        let bytes = Array("HTTP/1.1 200 OK\r\n\(names.map { "\($0): 1\r\n" }.joined())\r\n".utf8)
        let head = ResponseHead()
        try #require(ResponseHeadParser().parse(bytes.span, into: head) == .complete)
        let gone = head.fields[..<head.fieldCount].map { DeliveryFields.replace($0, bytes.span, fields) }
        #expect(gone == [true, true, true, true, true, false, false, false, false, false])
    }
}
