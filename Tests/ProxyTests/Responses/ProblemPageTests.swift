import Authorization
import Counting
import HTTPCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy

/// The pages to which `type` of a problem document leads (RFC 9457 section 3.1.1).
struct ProblemPageTests {
    private func page(_ method: CountedMethod, _ target: String) -> ProblemPage? {
        ProblemPage(method, target: Array(target.utf8).span)
    }

    @Test(arguments: RefusalCode.allCases)
    func typeOfEachRefusalLeadsToItsPage(code: RefusalCode) throws {
        var context = RefusalContext(realm: "app", requestID: RequestPipeline.requestID)
        context.hasProblemPage = true
        let response = GatewayResponse(Refusal(code, status: 400, detail: "…"), context)
        let type = try #require(
            String(decoding: response.body, as: UTF8.self).split(separator: "\"").dropFirst(3).first
        )
        #expect(type.hasPrefix("/.gatehouse/problems/"))
        let found = try #require(page(.get, String(type)))
        #expect(found.code == code)
        let text = String(decoding: found.response.body, as: UTF8.self)
        #expect(text.hasPrefix("\(code.title)\n") && text.contains("Code: \(code.rawValue)\n"))
        #expect(found.response.status == 200)
    }

    @Test func headRequestHasPageToo() {
        #expect(page(.head, "/.gatehouse/problems/rate_limited")?.code == .rateLimited)
    }

    @Test(arguments: [
        "/.gatehouse/problems/", "/.gatehouse/problems/unknown", "/.gatehouse/problems/rate_limited?x",
        "/.gatehouse/problems/rate_limited/", "/.gatehouse/problem/rate_limited", "/x/.gatehouse/problems/rate_limited",
        "/.gatehouse/problems/" + String(repeating: "a", count: 100), "",
    ])
    func otherTargetsHaveNoPage(target: String) {
        #expect(page(.get, target) == nil)
    }

    @Test func otherMethodsHaveNoPage() {
        #expect(page(.post, "/.gatehouse/problems/rate_limited") == nil)
        #expect(page(.other, "/.gatehouse/problems/rate_limited") == nil)
    }
}
