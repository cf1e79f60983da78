import Foundation
import TestSupport
import Testing

/// The files of `issuer.page`.
@Suite struct PageFilesTests {
    @Test func changedTextsAreShownAfterReload() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let texts = try scratch.write("en: { sign_in: { title: \"Welcome to {}\" } }", to: "texts.yaml")
        let logo = try scratch.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "logo.svg")
        let setup = CompanySetup(issuerKeys: "page: { name: Company, texts: \"{texts}\", logo: \"{logo}\" }")
        try await setup.run(values: ["texts": texts, "logo": logo]) { fixture, _ async throws in
            let page = try await Browser(fixture.company).get("/login")
            #expect(page.body.text.contains("<h1>Welcome to <bdi>Company</bdi></h1>"))
            #expect(page.body.text.contains("<img class=\"logo\" src=\"data:image/svg+xml;base64,"))
            #expect(page.fields["Content-Security-Policy"].first?.hasSuffix("; img-src data:") == true)
            try Data("en: { sign_in: { title: \"Hello from {}\" } }".utf8)
                .write(to: URL(fileURLWithPath: texts), options: .atomic)
            #expect(await fixture.reload().result == .applied)
            let changed = try await Browser(fixture.company).get("/login")
            #expect(changed.body.text.contains("<h1>Hello from <bdi>Company</bdi></h1>"))
            // A file with a mistake changes nothing.
            try Data("en: { sign_in: { title: Hello } }".utf8).write(to: URL(fileURLWithPath: texts), options: .atomic)
            let report = await fixture.reload()
            #expect(report.result == .refused)
            #expect(
                report.mistakes.first?.contains("texts.yaml:1:25: \"title\" lacks {}") == true,
                "\(report.mistakes)"
            )
            #expect(try await Browser(fixture.company).get("/login").body.text.contains("Hello from"))
        }
    }
}
