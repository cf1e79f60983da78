import TestSupport
import Testing
import Verification

@testable import Tenants

/// Templates of refusals: what is filled in, and that it cannot become anything but text.
struct RefusalTemplateTests {
    private static let values = RefusalTemplate.Values(
        code: "token_expired",
        title: "A \"title\" <b>",
        detail: "back\\slash & 'more'",
        status: 401,
        requestID: "01234567-89ab-4def-bedc-ba9876543210",
        upgradeURL: "https://apps.example.com/?a=1&b=2"
    )

    private func filled(_ text: String, _ format: RefusalTemplate.Format) throws -> String {
        String(decoding: try RefusalTemplate(Array(text.utf8), format).filled(with: Self.values), as: UTF8.self)
    }

    @Test func placeholdersAreEscapedForJSON() throws {
        let text = try filled(
            #"{"error":{"code":"{code}","message":"{title}: {detail}","status":{status},"id":"{request_id}"}}"#,
            .json
        )
        let object = try #require(try JSONParser.parse(Array(text.utf8)).object?["error"]?.object)
        #expect(object["code"]?.string == "token_expired")
        #expect(object["message"]?.string == "A \"title\" <b>: back\\slash & 'more'")
        #expect(object["status"]?.double == 401)
        #expect(object["id"]?.string == Self.values.requestID)
    }

    @Test func placeholdersAreEscapedForHTML() throws {
        let text = try filled("<p title=\"{title}\">{detail} <a href=\"{upgrade_url}\">{status}</a>", .html)
        #expect(
            text
                == "<p title=\"A &quot;title&quot; &lt;b&gt;\">back\\slash &amp; &#39;more&#39; "
                + "<a href=\"https://apps.example.com/?a=1&amp;b=2\">401</a>"
        )
    }

    @Test func otherBracesStandForThemselves() throws {
        for text in ["{", "}", "{}", "{ code }", "a{color:red}", "{\"a\":1}", "{Code}", "{code", "{1}", "{{", "{ {"] {
            #expect(try filled(text, .html) == text)
        }
        #expect(try filled("{{code}}", .html) == "{token_expired}")
    }

    @Test func unknownPlaceholderIsRefusedWithItsPlace() {
        #expect(throws: RefusalTemplate.Fault.unknownPlaceholder("reason", at: 5)) {
            try RefusalTemplate(Array("<p>a {reason}".utf8), .html)
        }
    }

    @Test func randomTextStaysText() throws {
        var random = SplitMix64(seed: 9457)
        let letters: [Character] = [
            "\"", "\\", "<", ">", "&", "'", "{", "}", "\n", "\u{0}", "\u{7f}", "\u{2028}", "a", "é", "😀", "/",
        ]
        let json = try RefusalTemplate(Array(#"{"t":"{title}","d":["{detail}",{status}]}"#.utf8), .json)
        let html = try RefusalTemplate(Array("<i>{title}</i><b c='{detail}'>".utf8), .html)
        for _ in 0..<2000 {
            func text() -> String {
                String(
                    (0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random) ?? "x"
                    }
                )
            }
            var values = Self.values
            (values.title, values.detail) = (text(), text())
            let object = try #require(try JSONParser.parse(json.filled(with: values)).object)
            #expect(object["t"]?.string?.unicodeScalars.elementsEqual(values.title.unicodeScalars) == true)
            #expect(
                object["d"]?.array?.first?.string?.unicodeScalars.elementsEqual(values.detail.unicodeScalars) == true
            )
            let page = String(decoding: html.filled(with: values), as: UTF8.self)
            #expect(page.count { $0 == "<" } == 3 && page.count { $0 == ">" } == 3)
            #expect(page.count { $0 == "'" } == 2 && !page.contains("\""))
        }
    }

    @Test func everyCodeMayHaveAText() {
        #expect(Set(RefusalRules.codes).count == RefusalRules.codes.count)
    }
}
