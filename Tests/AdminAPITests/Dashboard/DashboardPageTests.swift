import Foundation
import HTTPTypes
import Testing
import Verification

@testable import AdminAPI

/// The page as it is sent, byte for byte.
@Suite struct DashboardPageTests {
    private let page = DashboardPage()

    private func text(_ access: DashboardPage.Access = .token) -> String {
        String(decoding: page.bytes(access), as: UTF8.self)
    }

    /// What is between two texts that are there once.
    private func part(from start: String, to end: String) throws -> Substring {
        let text = text()
        let opening = try #require(text.firstRange(of: start))
        let closing = try #require(text[opening.upperBound...].firstRange(of: end))
        #expect(text[closing.upperBound...].firstRange(of: start) == nil)
        return text[opening.upperBound..<closing.lowerBound]
    }

    private func field(_ name: String) throws -> String? {
        page.fields[try #require(HTTPField.Name(name))]
    }

    @Test func policyAllowsOnlyItsOwnStyleAndScript() throws {
        let policy = try #require(try field("Content-Security-Policy")).split(separator: ";")
            .map { $0.trimmingPrefix(" ") }
        for (directive, start, end) in [
            ("script-src", "<script type=\"module\">", "</script>"), ("style-src", "<style>", "</style>"),
        ] {
            let digest = SHA256.digest(Array(try part(from: start, to: end).utf8))
            #expect(policy.contains("\(directive) 'sha256-\(Data(digest).base64EncodedString())'"), "\(policy)")
        }
        for directive in [
            "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ] { #expect(policy.contains { $0 == directive }, "\(directive)") }
        #expect(!policy.contains { $0.contains("unsafe") || $0.contains("*") || $0.contains("http") })
    }

    @Test func noPlaceholderIsLeft() {
        for access in [DashboardPage.Access.token, .open] {
            let text = text(access)
            #expect(!text.contains("{{") && !text.contains("}}"))
            #expect(text.contains("data-access=\"\(access.rawValue)\""))
        }
    }

    @Test func pageLoadsNothingAndHasNoInlineScript() throws {
        let text = text()
        let document = text.replacing(try part(from: "<script type=\"module\">", to: "</script>"), with: "")
        #expect(document.firstMatch(of: /\son[a-z]+\s*=/) == nil)
        #expect(document.firstMatch(of: /\s(?:src|action|formaction|srcset|style)\s*=/) == nil)
        for match in document.matches(of: /href="([^"]*)"/) {
            #expect(match.1.hasPrefix("#") || match.1.hasPrefix("data:image/svg+xml,"), "\(match.1)")
        }
        #expect(text.firstMatch(of: /url\(|@import/) == nil)
        #expect(text.matches(of: /<script/).count == 1)
    }

    @Test func scriptMakesNoHTMLFromText() throws {
        let script = try part(from: "<script type=\"module\">", to: "</script>")
        for sink in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(", "Function(",
            "srcdoc", "javascript:",
        ] { #expect(!script.contains(sink), "\(sink)") }
    }

    @Test func pageIsNeverCachedOrFramed() throws {
        #expect(page.fields[.cacheControl] == "no-store")
        #expect(page.fields[.contentType] == "text/html; charset=utf-8")
        #expect(try field("X-Frame-Options") == "DENY")
        #expect(try field("X-Content-Type-Options") == "nosniff")
        #expect(try field("Referrer-Policy") == "no-referrer")
    }
}
