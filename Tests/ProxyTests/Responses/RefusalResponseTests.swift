import Authorization
import Counting
import HTTPCore
import NIOCore
import Proxy
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

/// Refusals as HTTP (RFC 9457, RFC 6750).
struct RefusalResponseTests {
    private struct Written {
        var head: String
        var body: String
        var bodyLength: Int
        var challenge: String?
    }

    private func write(
        _ refusal: Refusal,
        realm: String? = "app",
        isHead: Bool = false,
        minorVersion: Int = 1,
        closes: Bool = false
    ) throws -> Written {
        let response = GatewayResponse(refusal, RefusalContext(realm: realm, requestID: RequestPipeline.requestID))
        var out = ByteBuffer()
        let length = response.write(
            isHead: isHead,
            minorVersion: minorVersion,
            stays: !closes,
            date: HTTPDate.text(784_111_777),
            to: &out
        )
        let bytes = Array(out.readableBytesView)
        let head = try #require(ResponseOutcome.parse(bytes).reading)
        #expect(head.status == refusal.status)
        return Written(
            head: String(decoding: bytes[..<head.length], as: UTF8.self),
            body: String(decoding: bytes[head.length...], as: UTF8.self),
            bodyLength: length,
            challenge: head.values("WWW-Authenticate").first
        )
    }

    @Test func missingTokenRefusalHasExactBytes() throws {
        let written = try write(.missingToken)
        let body =
            #"{"type":"about:blank","title":"A token is needed","status":401,"#
            + #""detail":"this path needs a token and none was sent","code":"missing_token","#
            + #""request_id":"01234567-89ab-4def-bedc-ba9876543210"}"# + "\n"
        let head = """
            HTTP/1.1 401 Unauthorized\r
            Date: Sun, 06 Nov 1994 08:49:37 GMT\r
            Content-Type: application/problem+json\r
            Cache-Control: no-store\r
            Content-Length: \(body.utf8.count)\r
            WWW-Authenticate: Bearer realm="app"\r
            \r

            """
        #expect(written.head == head)
        #expect(written.body == body)
        #expect(written.bodyLength == body.utf8.count)
    }

    @Test func headResponseHasLengthWithoutBody() throws {
        let get = try write(.unknownHost)
        let head = try write(.unknownHost, isHead: true)
        #expect(head.head == get.head)
        #expect(head.body.isEmpty && head.bodyLength == 0)
    }

    @Test(arguments: [(1, false, nil), (1, true, "close"), (0, false, "keep-alive"), (0, true, "close")])
    func connectionIsWrittenIfNotDefault(minorVersion: Int, closes: Bool, expected: String?) throws {
        let written = try write(.overloaded, minorVersion: minorVersion, closes: closes)
        #expect(ResponseOutcome.parse(written.head).reading?.values("Connection").first == expected)
        #expect(ResponseOutcome.parse(written.head).reading?.values("Retry-After") == ["1"])
    }

    @Test func challengesFollowRFC6750() throws {
        #expect(
            try write(.tokenExpired).challenge
                == #"Bearer realm="app", error="invalid_token", error_description="the token has expired""#
        )
        let role = Refusal(.insufficientRole, status: 403, detail: "no role")
        #expect(
            try write(role).challenge
                == #"Bearer realm="app", error="insufficient_scope", error_description="no role""#
        )
        let scope = Refusal(.insufficientScope, status: 403, detail: "no scope", neededScopes: ["a", "b:c"])
        #expect(
            try write(scope).challenge
                == #"Bearer realm="app", error="insufficient_scope", error_description="no scope", scope="a b:c""#
        )
        #expect(try write(.missingToken, realm: nil).challenge == #"Bearer realm="gatehouse""#)
    }

    @Test func otherStatusesHaveNoChallenge() throws {
        for refusal in [Refusal.unknownHost, .backendTimeout, .overloaded, .severalTokens, .payloadTooLarge] {
            #expect(try write(refusal).challenge == nil)
        }
    }

    @Test func methodNotAllowedListsAllowedMethods() throws {
        let refusal = Refusal(HTTPViolation(status: 405, reason: "not served"))
        let head = try write(refusal).head
        #expect(
            ResponseOutcome.parse(head).reading?.values("Allow") == ["GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]
        )
    }

    @Test func problemIsStrictJSONWithDocumentedMembers() throws {
        for code in RefusalCode.allCases {
            let refusal = Refusal(code, status: 503, detail: "a \"quoted\" \\ detail\n")
            let written = try write(refusal)
            let object = try #require(try JSONParser.parse(Array(written.body.utf8)).object)
            #expect(object.members.map(\.name) == ["type", "title", "status", "detail", "code", "request_id"])
            #expect(object["type"] == "about:blank")
            #expect(object["status"] == 503)
            #expect(object["detail"] == .string(refusal.detail))
            #expect(object["code"] == .string(code.rawValue))
            #expect(object["request_id"] == .string(RequestPipeline.requestID.text))
            #expect(written.bodyLength == written.body.utf8.count)
        }
    }

    @Test func codesMatchDocumentation() {
        let codes =
            "missing_token invalid_token token_expired token_revoked insufficient_scope insufficient_role unknown_host "
            + "no_route ambiguous_path rate_limited cross_site_request payload_too_large backend_unavailable backend_timeout "
            + "overloaded store_unavailable bad_request not_allowed conflicting_tokens upgrade_required"
        #expect(RefusalCode.allCases.map(\.rawValue) == codes.split(separator: " ").map(String.init))
    }

    @Test func everyOutcomeHasItsIndexAndLabel() {
        let outcomes = [Outcome.granted, .anonymous] + RefusalCode.allCases.map(Outcome.refused)
        #expect(outcomes.map(\.index) == Array(0..<outcomes.count))
        #expect(outcomes.map(\.label) == Outcome.allLabels)
    }

    @Test func violationKeepsStatusAndGetsCode() {
        #expect(
            Refusal(.headTooLarge)
                == Refusal(.badRequest, status: 431, detail: "the header section is larger than allowed")
        )
        #expect(Refusal(HTTPViolation(status: 413, reason: "x")).code == .payloadTooLarge)
    }
}
