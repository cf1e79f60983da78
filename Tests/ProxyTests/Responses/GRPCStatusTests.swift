import HTTPCore
import NIOCore
import TestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Authorization
@testable import Proxy

/// Refusals of gRPC calls (gRPC over HTTP/2, "Trailers-Only").
struct GRPCStatusTests {
    private func write(_ refusal: Refusal, fields: [HeaderField] = []) -> String {
        let context = RefusalContext(realm: "app", requestID: RequestPipeline.requestID, fields: fields, isGRPC: true)
        var out = ByteBuffer()
        let length = GatewayResponse(refusal, context).write(
            isHead: false,
            minorVersion: 1,
            stays: true,
            date: HTTPDate.text(784_111_777),
            to: &out
        )
        #expect(length == 0)
        return String(buffer: out)
    }

    @Test func grpcRefusalHasExactBytes() {
        let head = """
            HTTP/1.1 200 OK\r
            Date: Sun, 06 Nov 1994 08:49:37 GMT\r
            Content-Type: application/grpc\r
            Cache-Control: no-store\r
            grpc-status: 16\r
            grpc-message: missing_token\r
            WWW-Authenticate: Bearer realm="app"\r
            \r

            """
        #expect(write(.missingToken) == head)
    }

    @Test func retryAfterAndOtherFieldsAreKept() {
        let head = write(.backendUnavailable, fields: [HeaderField("Set-Cookie", "a=b"), .noStore])
        #expect(head.contains("\r\nRetry-After: 1\r\n"))
        #expect(head.contains("\r\nSet-Cookie: a=b\r\n"))
        #expect(head.contains("\r\ngrpc-status: 14\r\ngrpc-message: backend_unavailable\r\n"))
    }

    static let statuses: [(Refusal, Int)] = [
        (.missingToken, 16), (.tokenExpired, 16), (.tokenRevoked, 16), (.crossSite, 7),
        (Refusal(.insufficientRole, status: 403, detail: ""), 7), (.unknownHost, 12), (.ambiguousPath, 13),
        (Refusal(.rateLimited, status: 429, detail: ""), 8), (.overloaded, 8), (.tooManyConnections, 8),
        (.payloadTooLarge, 8), (Refusal(.headTooLarge), 8), (.backendUnavailable, 14), (.backendBroke, 14),
        (.revocationsUnknown, 14), (.keysMissing(retryAfterSeconds: 1), 14), (.backendTimeout, 4), (.bodyTimeout, 4),
        (.misdirected, 2), (.severalTokens, 13),
    ]

    @Test func everyRefusalHasGRPCStatus() {
        for (refusal, status) in Self.statuses {
            #expect(GRPCStatus(refusal).rawValue == status, "\(refusal)")
        }
    }

    @Test func messageIsPercentEncoded() {
        #expect(GRPCStatus.percentEncoded("a b%\u{e9}\r\n~\u{7f}") == Array("a b%25%C3%A9%0D%0A~%7F".utf8))
    }

    @Test(arguments: [
        ("application/grpc", true), ("application/grpc+proto", true), ("Application/GRPC; charset=x", true),
        ("application/grpc ;a=b", true), ("application/grpc-web", false), ("application/grpc-web+proto", false),
        ("application/grpcx", false), ("application/json", false), ("", false), ("application/grp", false),
        ("text/plain, application/grpc", false),
    ])
    func contentTypeIdentifiesGRPC(value: String, isCall: Bool) {
        let bytes = Array("POST / HTTP/1.1\r\nHost: a\r\ncontent-type: \(value)\r\n\r\n".utf8)
        let head = RequestHead()
        let outcome = RequestHeadParser(maximumBytes: 8192, maximumFields: 100).parse(bytes.span, into: head)
        #expect(outcome == .complete)
        let found = GRPCStatus.isRequest(head, bytes.span)
        #expect(found == isCall)
    }

    @Test func aliasOfContentTypeIsNotGRPC() {
        let bytes = Array("POST / HTTP/1.1\r\nHost: a\r\ncontent_type: application/grpc\r\n\r\n".utf8)
        let head = RequestHead()
        let outcome = RequestHeadParser(maximumBytes: 8192, maximumFields: 100).parse(bytes.span, into: head)
        #expect(outcome == .complete)
        let found = GRPCStatus.isRequest(head, bytes.span)
        #expect(!found)
    }
}
