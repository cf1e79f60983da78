import TestSupport
import Testing
import Verification

@testable import AdminAPI

/// Bodies of `POST /api/explain` that are refused.
struct ExplainHandlerTests {
    private func problem(_ body: String) async throws -> AdminProblem? {
        let handler = ExplainHandler(live: .serving([try SampleTenant.tenant()]), decide: { _, _ in nil })
        do {
            _ = try await handler.explain(Array(body.utf8))
            return nil
        } catch {
            return try #require(error as? AdminProblem)
        }
    }

    @Test(arguments: [
        (#"[]"#, "the body must be a JSON object, with no member twice"),
        (
            #"{"tenant":"app","method":"GET","path":"/","tokens":""}"#,
            "the body has an unknown member; known members are tenant, method, path, host, token, headers, address"
        ),
        (#"{"method":"GET","path":"/"}"#, #""tenant" must be a string that is not empty"#),
        (#"{"tenant":"app","path":"/"}"#, #""method" must be a string that is not empty"#),
        (#"{"tenant":"app","method":"GET"}"#, #""path" must be a string that is not empty"#),
        (#"{"tenant":"app","method":"GET","path":1}"#, #""path" must be a string that is not empty"#),
        (
            #"{"tenant":"app","method":"GET","path":"x"}"#,
            #""path" must begin with "/" and be written as it is sent, without spaces"#
        ),
        (#"{"tenant":"app","method":"G T","path":"/"}"#, #""method" must be a method like GET, in capitals"#),
        (
            #"{"tenant":"app","method":"GET","path":"/","headers":"A: b"}"#,
            #""headers" must be an object of texts, or a list of texts like "Accept: text/html""#
        ),
        (
            #"{"tenant":"app","method":"GET","path":"/","headers":{"A":1}}"#,
            #""headers" must be an object of texts, or a list of texts like "Accept: text/html""#
        ),
        (
            #"{"tenant":"app","method":"GET","path":"/","headers":["A"]}"#,
            #""headers" must be an object of texts, or a list of texts like "Accept: text/html""#
        ),
        (
            #"{"tenant":"app","method":"GET","path":"/","headers":{"A":"b\r\nC: d"}}"#,
            "a header must have a value on one line, without control characters"
        ),
        (
            #"{"tenant":"app","method":"GET","path":"/","address":"here"}"#,
            #""address" must be an IP address, like 203.0.113.7"#
        ),
    ])
    func mistakesAreReportedWithARemedy(body: String, detail: String) async throws {
        #expect(try await problem(body) == .badRequest(detail))
    }

    @Test func unknownTenantAndStoppingGatewayAreReported() async throws {
        let unknown = try await problem(#"{"tenant":"other","method":"GET","path":"/"}"#)
        #expect(unknown == AdminProblem(.unknownTenant, "there is no such tenant; there are app"))
        let stopped = try await problem(#"{"tenant":"app","method":"GET","path":"/","headers":["A: b"]}"#)
        #expect(stopped?.code == .storeUnavailable)
    }
}
