import HTTPCore
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Tenants
@testable import Upstream

/// The forwarding headers that the backend receives, and which proxies' headers are trusted.
struct ForwardedFieldsTests {
    private func forward(_ lines: [String], from peer: Peer, host: String = "app.test") throws -> RequestReading {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(host: "app.test", access: [try RequestPipeline.rule("/**", .anyone)])
        ])
        return try pipeline.forward(RequestPipeline.request("/", host: host, lines: lines), from: peer)
    }

    private static let claimed = [
        "X-Forwarded-For: 198.51.100.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: front.test",
        "X-Forwarded-Port: 443", "Forwarded: for=198.51.100.1", "X-Real-IP: 198.51.100.1",
    ]

    @Test func untrustedPeerFieldsAreReplaced() throws {
        let reading = try forward(Self.claimed, from: RequestPipeline.peer())
        #expect(reading.values("X-Forwarded-For") == ["203.0.113.7"])
        #expect(reading.values("X-Forwarded-Proto") == ["http"])
        #expect(reading.values("X-Forwarded-Host") == ["app.test"])
        #expect(reading.values("Forwarded") == ["for=203.0.113.7;proto=http;host=\"app.test\""])
        #expect(reading.values("X-Forwarded-Port").isEmpty && reading.values("X-Real-IP").isEmpty)
    }

    @Test func trustedProxyFieldsAreExtended() throws {
        let reading = try forward(Self.claimed, from: RequestPipeline.peer(trusted: true))
        #expect(reading.values("X-Forwarded-For") == ["198.51.100.1, 203.0.113.7"])
        #expect(reading.values("X-Forwarded-Proto") == ["https"])
        #expect(reading.values("X-Forwarded-Host") == ["front.test"])
        #expect(reading.values("X-Forwarded-Port") == ["443"])
        #expect(reading.values("X-Real-IP") == ["198.51.100.1"])
        #expect(reading.values("Forwarded") == ["for=198.51.100.1, for=203.0.113.7;proto=http;host=\"app.test\""])
    }

    @Test func repeatedListsAreJoinedInOrder() throws {
        let lines = ["X-Forwarded-For: a, b", "X-Forwarded-For:", "x-forwarded-for: c"]
        #expect(
            try forward(lines, from: RequestPipeline.peer(trusted: true)).values("X-Forwarded-For") == [
                "a, b, c, 203.0.113.7"
            ]
        )
    }

    @Test func emptyFieldsOfTrustedProxyAreReplaced() throws {
        let lines = ["X-Forwarded-Proto:", "X-Forwarded-Host: "]
        let reading = try forward(lines, from: RequestPipeline.peer(trusted: true))
        #expect(reading.values("X-Forwarded-Proto") == ["http"])
        #expect(reading.values("X-Forwarded-Host") == ["app.test"])
    }

    @Test func ipv6AddressIsInBrackets() throws {
        let files = ServerCertificate(certificateFile: "c.pem", keyFile: "k.pem")
        let tls = PeerTLS(serverName: "app.test", files: files, clientSubject: nil)
        let reading = try forward([], from: RequestPipeline.peer("2001:db8::7", tls: tls))
        #expect(reading.values("X-Forwarded-For") == ["2001:db8::7"])
        #expect(reading.values("X-Forwarded-Proto") == ["https"])
        #expect(reading.values("Forwarded") == ["for=\"[2001:db8::7]\";proto=https;host=\"app.test\""])
    }

    @Test func hostPortIsForwarded() throws {
        #expect(
            try forward([], from: RequestPipeline.peer(), host: "app.test:8080").values("X-Forwarded-Host") == [
                "app.test:8080"
            ]
        )
    }

    @Test func requestIDIsAlwaysOurs() throws {
        let lines = ["X-Request-Id: 11111111-1111-4111-8111-111111111111", "x-request-id: two"]
        for trusted in [false, true] {
            #expect(
                try forward(lines, from: RequestPipeline.peer(trusted: trusted)).values("X-Request-Id") == [
                    RequestPipeline.requestID.text
                ]
            )
        }
    }

    // MARK: The client behind proxies

    private func client(_ lines: [String]) throws -> String? {
        let bytes = RequestPipeline.request("/", lines: lines)
        let head = RequestHead()
        try #require(RequestOutcome.parse(bytes, into: head).reading != nil)
        let proxies = [AddressRange(base: IPAddress(bytes: [10, 0, 0, 0]), prefixLength: 8)]
        return ClientAddress.read(head, bytes.span, trustedProxies: proxies).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ([], nil), (["X-Forwarded-For: 198.51.100.1"], "198.51.100.1"),
        (["X-Forwarded-For: 6.6.6.6, 198.51.100.1"], "198.51.100.1"),
        (["X-Forwarded-For: 6.6.6.6, 198.51.100.1, 10.0.0.2 ,10.0.0.1"], "198.51.100.1"),
        (["X-Forwarded-For: 198.51.100.1", "x-forwarded-for: 10.0.0.1"], "198.51.100.1"),
        (["X-Forwarded-For: 10.0.0.2, 10.0.0.1"], "10.0.0.2"), (["X-Forwarded-For: 2001:db8::1"], "2001:db8::1"),
        (["X-Forwarded-For: 6.6.6.6, nonsense, 10.0.0.1"], "10.0.0.1"), (["X-Forwarded-For: unknown"], nil),
        (["X-Forwarded-For:"], nil), (["X_Forwarded_For: 6.6.6.6"], nil), (["X-Real-IP: 6.6.6.6"], nil),
    ])
    func clientIsRightmostUntrustedAddress(lines: [String], expected: String?) throws {
        #expect(try client(lines) == expected)
    }

    /// Proxy addresses that a client writes itself are not considered.
    @Test func proxyChainLengthIsBounded() throws {
        let most = ClientAddress.maximumProxies
        let proxies = { (count: Int) in (0..<count).map { "10.1.\($0 / 250).\($0 % 250)" }.joined(separator: ",") }
        #expect(try client(["X-Forwarded-For: 198.51.100.1,\(proxies(most - 1))"]) == "198.51.100.1")
        #expect(try client(["X-Forwarded-For: 198.51.100.1,\(proxies(most))"]) == "10.1.0.0")
        #expect(try client(["X-Forwarded-For: nonsense,\(proxies(1000))"])?.hasPrefix("10.1.3.") == true)
    }

    // MARK: Trace context

    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func validTraceContextIsKept() throws {
        let reading = try forward(["traceparent: \(Self.trace)", "tracestate: a=b"], from: RequestPipeline.peer())
        #expect(reading.values("traceparent") == [Self.trace])
        #expect(reading.values("tracestate") == ["a=b"])
    }

    @Test(arguments: [
        ["traceparent: \(trace.uppercased())"], ["traceparent: ff\(trace.dropFirst(2))"], ["traceparent: x"],
        ["traceparent: \(trace)", "traceparent: \(trace)"], ["traceparent:"],
    ])
    func invalidTraceContextIsReplaced(lines: [String]) throws {
        let reading = try forward(lines + ["tracestate: a=b"], from: RequestPipeline.peer())
        #expect(reading.values("traceparent") == ["00-00000000000000110000000000000022-0000000000000033-00"])
        #expect(reading.values("tracestate").isEmpty)
    }

    /// W3C Trace Context level 1, section 4.3: a gateway that knows version 00 sends version 00.
    @Test(arguments: [("01", "01", "01"), ("cc", "00", "00"), ("fe", "ff-what-is-to-come", "01"), ("02", "02", "00")])
    func laterTraceVersionIsForwardedAsZero(version: String, rest: String, flags: String) throws {
        let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
        let lines = ["traceparent: \(version)-\(trace)-\(parent)-\(rest)", "tracestate: a=b"]
        let reading = try forward(lines, from: RequestPipeline.peer())
        #expect(reading.values("traceparent") == ["00-\(trace)-\(parent)-\(flags)"])
        #expect(reading.values("tracestate") == ["a=b"])
    }

    private static let judged: [(String, Bool)] = [
        (trace, true), ("01\(trace.dropFirst(2))", true), ("cc\(trace.dropFirst(2))-more", true),
        ("fe\(trace.dropFirst(2))-", true), ("cc\(trace.dropFirst(2)).more", false), (trace + "-more", false),
        ("0g\(trace.dropFirst(2))", false), ("CC\(trace.dropFirst(2))", false), ("cc\(trace.dropFirst(2))0", false),
        ("cc\(trace.dropFirst(2).dropLast())", false), ("ff\(trace.dropFirst(2))-more", false),
        ("00-\(String(repeating: "0", count: 32))-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false), (trace + "0", false),
        (String(trace.dropLast()), false), ("ff\(trace.dropFirst(2))", false), (trace.replacing("-", with: "_"), false),
        ("00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0F", false), ("", false),
    ]

    @Test(arguments: judged)
    func anyTraceVersionIsValidatedAsZero(value: String, isValid: Bool) {
        let bytes = Array(" \(value) ".utf8)
        let judged = TraceContext.isValid(bytes.span, 1..<(bytes.count - 1))
        #expect(judged == isValid)
    }

    // MARK: Peers

    @Test func peerWithoutAddressIsUntrusted() {
        let peer = Peer(nil, trustedProxies: AddressRange.loopback)
        #expect(peer.text == Array("unknown".utf8))
        #expect(!peer.isTrustedProxy && !peer.isIPv6)
    }
}
