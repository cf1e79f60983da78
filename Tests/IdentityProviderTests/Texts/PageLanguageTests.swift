import Testing

@testable import IdentityProvider
@testable import Localization
@testable import Tenants

/// Which language a page is written in.
struct PageLanguageTests {
    @Test(arguments: [
        (nil, "en"), ("", "en"), ("de", "de"), ("fr-CA", "fr"), ("ja-JP, en;q=0.5", "ja"), ("ES-mx", "es"),
        // The greatest weight counts, and of equal ones the first.
        ("de;q=0.3, fr;q=0.7, es;q=0.5", "fr"), ("de;q=0.5, es;q=0.5", "de"), ("fr;q=0.9, ja", "ja"),
        ("en-GB, de;q=0.9", "en"), ("de ; q=0.4 , es ; Q=0.6", "es"), ("fr;level=1;q=0.2, es;q=0.3", "es"),
        // What is not wanted, malformed, or not there.
        ("de;q=0", "en"), ("de;q=2, fr;q=0.1", "fr"), ("de;q=x", "en"), ("de;q=-1", "en"), ("nl, sv;q=0.9", "en"),
        ("nl, fr;q=0.1", "fr"), ("*", "en"), ("german", "en"), ("-de", "en"), (",,;q=1,de", "de"),
        ("dé", "en"), ("de-\u{0}", "de"),
    ])
    func languageIsNegotiated(_ field: String?, _ tag: String) {
        let language = PageLanguage(accepted: field)
        #expect(language.tag == tag && language.builtIn.rawValue == tag && language.own.isEmpty)
    }

    @Test func rangesAreBounded() {
        let many = [String](repeating: "nl", count: 32).joined(separator: ",")
        #expect(PageLanguage(accepted: many + ",de").tag == "en")
        #expect(PageLanguage(accepted: many.dropLast(3) + ",de").tag == "de")
        #expect(PageLanguage(accepted: "de" + String(repeating: "-x", count: 16)).tag == "de")
        #expect(PageLanguage(accepted: "de" + String(repeating: "-x", count: 17)).tag == "en")
    }

    /// Each beginning is compared with all languages of the tenant.
    @Test(arguments: [
        ("de-AA-bb-cc-dd", "de-aa-bb-cc-DD"), ("de-aa-bb-cc-dd-ee", "de-aa-bb-cc"), ("de-aa-bb-cc-ee", "de-aa-bb-cc"),
        ("de-aa-bb-x", "de"),
    ])
    func beginningsOfManySubtagsAreNotLookedFor(_ field: String, _ tag: String) {
        let texts = PageTexts(
            languages: ["de", "de-aa-bb-cc", "de-aa-bb-cc-DD"].map { tag in
                PageTexts.Language(tag: tag, signIn: [:], account: [:], deletion: [:])
            }
        )
        #expect(PageLanguage(accepted: field, of: texts).tag == tag)
    }

    private static let texts = PageTexts(
        languages: ["en", "DE", "de-CH", "pt-BR", "zh-Hant", "ar"].map { tag in
            PageTexts.Language(tag: tag, signIn: [.cancel: tag], account: [:], deletion: [:])
        }
    )

    @Test(arguments: [
        ("nl", "en", "en", ["en"]), ("de-AT", "DE", "de", ["DE"]), ("de-ch-1996", "de-CH", "de", ["DE", "de-CH"]),
        ("fr", "fr", "fr", []), ("pt-BR", "pt-BR", "en", ["en", "pt-BR"]), ("pt", "pt-BR", "en", ["en", "pt-BR"]),
        ("zh-Hant-TW", "zh-Hant", "en", ["en", "zh-Hant"]), ("zh", "zh-Hant", "en", ["en", "zh-Hant"]),
        ("nl, ar;q=0.1", "ar", "en", ["en", "ar"]),
    ])
    func languagesOfTheTenantAreOffered(_ field: String, _ tag: String, _ builtIn: String, _ own: [String]) {
        let language = PageLanguage(accepted: field, of: Self.texts)
        #expect(language.tag == tag)
        #expect(language.builtIn.rawValue == builtIn)
        #expect(language.own.map(\.tag) == own)
        #expect(language.isRightToLeft == (tag == "ar"))
    }
}
