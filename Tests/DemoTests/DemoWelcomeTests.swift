import Demo
import Tenants
import Testing

@testable import GatehouseDemo

struct DemoWelcomeTests {
    private func lines(tokensFile: String?) -> [Substring] {
        DemoWelcome(
            gateway: HostPort(host: "127.0.0.1", port: 8080),
            admin: HostPort(host: "127.0.0.1", port: 9901),
            tokensFile: tokensFile
        ).text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func atMostTwelveLinesNameEveryURL() {
        let lines = lines(tokensFile: "demo.env")
        #expect(lines.count <= 12)
        #expect(lines.allSatisfy { $0.count <= 120 })
        for url in ["localhost:8080/", "localhost:8080/company", "127.0.0.1:9901/"]
            + SampleAppName.allCases.map({ "\($0.host):8080/" })
        {
            #expect(lines.contains { $0.hasPrefix("http://\(url) ") }, "\(url)")
        }
        #expect(lines.contains("try:  source demo.env"))
    }

    @Test func withoutTokensFileNoLineNeedsToken() {
        let tried = lines(tokensFile: nil).filter { $0.hasPrefix("try:") }
        #expect(tried == ["try:  curl http://customer.localhost:8080/api/jobs"])
    }
}
