import Foundation
import Testing

@testable import IdentityProvider
@testable import Localization
@testable import Tenants

/// The texts of the pages, and their names in files of tenants.
struct WrittenTextsTests {
    @Test func signInTextsAreComplete() { Self.check(SignInTexts.self) }

    @Test func accountTextsAreComplete() { Self.check(AccountTexts.self) }

    private static func check<Texts: WrittenTexts>(_ type: Texts.Type) {
        let english = type.builtIn(.english)
        let properties = Mirror(reflecting: english).children.compactMap(\.label)
        #expect(properties.map(Self.name) == Texts.Name.allCases.map(\.rawValue), "in the same order")
        for language in PageLanguage.BuiltIn.allCases {
            let texts = type.builtIn(language)
            let values = Mirror(reflecting: texts).children.map { $0.value as? String }
            for (name, value) in zip(Texts.Name.allCases, values) {
                let text = texts[keyPath: type.property(name)]
                #expect(text == value, "\(name)")
                let places = text.components(separatedBy: PageTextPlace.mark).count - 1
                #expect(places == (Texts.Name.withPlace.contains(name) ? 1 : 0), "\(language) \(name)")
                #expect(PrintableText.isPrintable(text) && text.utf8.count <= 1000)
            }
            guard language != .english else { continue }
            let same = Texts.Name.allCases.filter { name in
                texts[keyPath: type.property(name)] == english[keyPath: type.property(name)]
            }
            // Words that are the same in both.
            #expect(same.count <= 4, "\(language) has \(same) in English")
        }
    }

    /// `signIn` is `sign_in` in files.
    private static func name(_ property: String) -> String {
        property.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    @Test func textsOfTheTenantTakeTheirPlaces() {
        let texts = PageTexts(languages: [
            PageTexts.Language(
                tag: "en",
                signIn: [.cancel: "No", .back: "Away"],
                account: [.title: "You"],
                deletion: [:]
            ),
            PageTexts.Language(tag: "nl", signIn: [.cancel: "Nee"], account: [:], deletion: [:]),
        ])
        let dutch = PageLanguage(accepted: "nl", of: texts)
        #expect(SignInTexts(dutch).cancel == "Nee")
        #expect(SignInTexts(dutch).back == "Away")
        #expect(SignInTexts(dutch).signIn == "Sign in")
        #expect(AccountTexts(dutch).title == "You")
        #expect(SignInTexts(PageLanguage(accepted: "de", of: texts)).cancel == "Abbrechen")
    }

    @Test func nameStandsInItsPlaceOnce() {
        #expect(FilledText.plain("by {} now", "A{}B") == "by A{}B now")
        #expect(FilledText.plain("{ {} }", "x") == "{ x }")
        #expect(FilledText.plain("none", "x") == "none")
        #expect(FilledText.html("<{}>", "<&>") == "&lt;<bdi>&lt;&amp;&gt;</bdi>&gt;")
        #expect(FilledText.html("é{}", html: "<b>x</b>") == "é<b>x</b>")
    }

    /// The file that operators copy from has every text as it is in English.
    @Test func documentedTextsAreTheBuiltInOnes() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/page-texts.yaml").path
        let configuration = """
            version: 1
            gateway: { listen: [{ address: 127.0.0.1:0 }], store: "memory:" }
            tenants:
              shop:
                hosts: [shop.test]
                backend: { servers: [http://127.0.0.1:1] }
                authenticate: { issuers: [{ preset: built-in }] }
                issuer: { url: "https://shop.test", audience: a, algorithm: ES256, page: { texts: "\(file)" } }
            """
        let result = TenantsFile.read(
            text: Array(configuration.utf8),
            path: "tenants.yaml",
            environment: [:],
            files: DiskFiles()
        )
        #expect(result.errors.isEmpty, "\(result.errors)")
        let page = try #require(result.configuration?.tenants.first?.issuer?.page)
        let english = try #require(page.texts?.languages.first)
        #expect(english.tag == "en" && page.texts?.languages.count == 1)
        for name in SignInText.allCases {
            #expect(english.signIn[name] == SignInTexts.english[keyPath: SignInTexts.property(name)], "\(name)")
        }
        for name in AccountText.allCases {
            #expect(english.account[name] == AccountTexts.english[keyPath: AccountTexts.property(name)], "\(name)")
        }
        for name in DeletionText.allCases {
            let text = DeletionTexts.builtIn(.english)[keyPath: DeletionTexts.property(name)]
            #expect(english.deletion[name] == text, "\(name)")
        }
    }
}
