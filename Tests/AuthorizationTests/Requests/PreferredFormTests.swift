import HTTPCore
import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization

/// Whether a client would rather have a page than JSON.
struct PreferredFormTests {
    private func isHTML(_ values: [String]) throws -> Bool {
        let lines = values.map { "Accept: \($0)\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8)
        let received = ReceivedRequest()
        let parser = RequestHeadParser(maximumBytes: 32 << 10, maximumFields: 100)
        guard case .complete = received.parse(ByteBuffer(bytes: bytes), parser) else { throw Malformed() }
        return PreferredForm.isHTML(received.head, bytes.span)
    }

    private struct Malformed: Error {}

    @Test(arguments: [
        "text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "TEXT/HTML ; Q=0.5, */*;q=0.1",
        "text/html, */*", "text/html;level=1, application/json;q=0.9", "text/*",
        "application/json;q=0, text/html;q=0.001",
        "text/*, */*",
    ]) func pageIsPreferred(accept: String) throws {
        #expect(try isHTML([accept]))
    }

    @Test(arguments: [
        "", "*/*", "application/json", "application/json, text/html", "text/html, application/problem+json",
        "text/html;q=0.5, application/json", "text/html;q=0, */*", "text/html;q=0", "text/html;q=2", "text/html;q=x",
        "text/html;q=0.5, */*", "image/png", "text/plain", "text/htmlx", "application/*, text/*", ",,;", "text/html;q=",
        "*/*;q=0.1, text/html;q=0.1000",
    ]) func jsonIsPreferred(accept: String) throws {
        #expect(try !isHTML([accept]))
    }

    @Test func fieldsAreOneList() throws {
        #expect(try isHTML(["application/json;q=0.5", "text/html"]))
        #expect(try !isHTML([]))
        let many = Array(repeating: "a/b", count: 64).joined(separator: ", ")
        #expect(try !isHTML(["\(many), text/html"]), "so many members are not read")
    }

    @Test func randomValuesNeverTrap() throws {
        var random = SplitMix64(seed: 12_5_1)
        let parts = ["text/html", "*/*", "application/json", ";", ",", "q=", "0.5", "1", " ", ".", "=", "q", "9"]
        for _ in 0..<3000 {
            let value = (0..<random.below(14)).map { _ in parts[random.below(parts.count)] }.joined()
            _ = try isHTML([value.isEmpty ? "a" : value])
        }
    }
}
