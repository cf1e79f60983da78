import HTTPCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization

/// What a request for an endpoint may say of its body.
struct BodyReadingFieldsTests {
    private func status(_ lines: String...) throws -> Int? {
        let bytes = RequestPipeline.request("/auth/apple", method: "POST", lines: lines)
        let head = RequestHead()
        try #require(RequestOutcome.parse(bytes, into: head).reading != nil)
        return BodyReadingFields.refusal(head, bytes.span)?.status
    }

    @Test(arguments: [
        "Content_Type: application/x-www-form-urlencoded", "content_type: application/json", "CONTENT.TYPE: x",
        "Content~Type:", "Content_Encoding: identity", "Content_Disposition: form-data", "Content_Transfer-Encoding: x",
        "Content-Transfer_Encoding: base64", "Content_MD5: x", "Content_Language: en",
    ])
    func aliasOfAContentFieldIs400(line: String) throws {
        #expect(try status(line) == 400)
        #expect(try status("Content-Type: application/json", line) == 400)
        #expect(try status(line, "Content-Type: application/json") == 400)
    }

    @Test(arguments: [
        "X-HTTP-Method-Override: PUT", "x_http_method_override: GET", "X-HTTP-Method: DELETE", "X-Method-Override: PUT",
    ])
    func methodOverrideIs400(line: String) throws {
        #expect(try status("Content-Type: application/json", line) == 400)
    }

    @Test func encodedBodyIs415AndSeveralTypesAre400() throws {
        #expect(try status("Content-Encoding: gzip") == 415)
        #expect(try status("Content-Type: a/b", "Content-Type: a/b") == 400)
    }

    @Test(arguments: ["Content-Type: a/b", "Content-Encoding: Identity", "X_Content_Type: a", "Contents_Type: a"])
    func otherFieldsPass(line: String) throws {
        #expect(try status(line) == nil)
    }
}
