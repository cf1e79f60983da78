import Testing

@testable import IdentityProvider
@testable import Localization
@testable import Tenants

/// What the hosted pages say, in which language, and with which logo.
struct PageTextTests {
    private static func page(
        _ endpoint: Endpoint,
        _ language: String?,
        _ page: SignInPage = SignInPage(name: "Chat"),
        _ parameters: [(name: String, value: String)] = BrowserSignInFixture.good
    ) async throws -> EndpointResponse {
        let fixture = try BrowserSignInFixture(page: page)
        var request = fixture.request(endpoint, parameters)
        request.fields.acceptLanguage = language
        return try await fixture.response(request)
    }

    @Test(arguments: [
        ("de", ["Bei Chat anmelden", "um zu clanboards weiterzugehen", "Mit Apple anmelden", "Abbrechen"]),
        ("es", ["Iniciar sesión en Chat", "para continuar a clanboards", "Iniciar sesión con Google", "Cancelar"]),
        ("fr", ["Se connecter à Chat", "pour continuer vers clanboards", "Se connecter avec Google", "Annuler"]),
        ("ja", ["Chat にログイン", "続けて clanboards に移動します", "Google でログイン", "キャンセル"]),
        ("sv", ["Sign in to Chat", "to continue to clanboards", "Sign in with Google", "Cancel"]),
    ])
    func signInPageSpeaksTheBrowsersLanguage(_ language: String, _ texts: [String]) async throws {
        let response = try await Self.page(.authorize, "\(language), en;q=0.5")
        let page = PageReading(response)
        for text in texts { #expect(page.text.contains(text), "\(text)") }
        let tag = language == "sv" ? "en" : language
        #expect(response.text.hasPrefix("<!DOCTYPE html>\n<html lang=\"\(tag)\">"))
        #expect(response.text.contains("<title>\(texts[0])</title>"))
        #expect(response.value(of: "Vary") == "Accept-Language")
        #expect(response.value(of: "Cache-Control") == "no-store")
        #expect(page.isBalanced)
    }

    @Test(arguments: PageLanguage.BuiltIn.allCases)
    func errorPageSpeaksTheBrowsersLanguage(_ language: PageLanguage.BuiltIn) async throws {
        let response = try await Self.page(
            .authorize,
            language.rawValue,
            SignInPage(name: "Chat"),
            BrowserSignInFixture.parameters(["client_id": "nobody"])
        )
        let texts = SignInTexts.builtIn(language)
        #expect(response.status == 400)
        let page = PageReading(response)
        for text in [texts.unknownApp, texts.unknownAppReason, texts.unknownAppAdvice] {
            #expect(page.text.contains(text))
        }
        #expect(page.text.contains(FilledText.plain(texts.code, "unknown_client")))
        #expect(page.text.contains(FilledText.plain(texts.request, "request-1")))
        #expect(response.text.contains("<html lang=\"\(language.rawValue)\">"))
    }

    @Test func everyErrorIsSaidInEveryLanguage() throws {
        let fixture = try BrowserSignInFixture()
        let problems =
            HostedPageTests.problems.map(\.0) + [
                .refusedAfterSignIn(.missing), .refusedAfterSignIn(.expired), .formNotSent, .notAllowed,
                .providerUnavailable("Company", retryAfterSeconds: nil),
            ]
        for problem in problems {
            var titles: Set<String> = []
            for language in PageLanguage.BuiltIn.allCases {
                var request = fixture.request(.authorize, [])
                request.fields.acceptLanguage = language.rawValue
                let response = fixture.endpoints.errorPage(
                    problem,
                    of: request,
                    back: SignInErrorPage.Link(url: "/") { $0.back }
                )
                let page = PageReading(response)
                #expect(page.isBalanced && page.all("h1").count == 1)
                #expect(page.text.contains(SignInTexts.builtIn(language).back))
                titles.insert(problem.texts(SignInTexts.builtIn(language)).title)
                let fills = [problem.texts(SignInTexts.builtIn(language))].flatMap {
                    [$0.title, $0.happened, $0.advice]
                }
                #expect(!fills.contains { $0.contains(PageTextPlace.mark) })
            }
            #expect(titles.count == 5, "\(problem)")
        }
    }

    /// With cookies that other sites' pages do not cause to be sent, a page leads on.
    @Test func pageAfterSignInSpeaksTheBrowsersLanguage() async throws {
        let fixture = try BrowserSignInFixture(cookieRules: CookieRules(sameSite: .strict))
        let visit = try await BrowserVisit(web: fixture)
        var request = visit.back(.webCallback)
        request.fields.acceptLanguage = "fr"
        let response = try await fixture.response(request)
        #expect(response.text.contains("<html lang=\"fr\">"))
        #expect(response.text.contains("<title>Vous êtes connecté – Chat</title>"))
        #expect(PageReading(response).text.contains("Continuer"))
    }

    @Test func textsAndLanguagesOfTheTenantAreShown() async throws {
        let texts = PageTexts(languages: [
            PageTexts.Language(tag: "en", signIn: [.title: "Welcome to {}, <you>"], account: [:], deletion: [:]),
            PageTexts.Language(tag: "ar", signIn: [.cancel: "إلغاء"], account: [:], deletion: [:]),
        ])
        let page = SignInPage(name: "Chat", texts: texts)
        let english = try await Self.page(.authorize, nil, page)
        #expect(english.text.contains("<h1>Welcome to <bdi>Chat</bdi>, &lt;you&gt;</h1>"))
        #expect(english.text.contains("<title>Welcome to Chat, &lt;you&gt;</title>"))
        let arabic = try await Self.page(.authorize, "ar-EG", page)
        #expect(arabic.text.contains("<html lang=\"ar\" dir=\"rtl\">"))
        #expect(PageReading(arabic).text.contains("إلغاء"))
        #expect(PageReading(arabic).text.contains("Welcome to Chat"))
    }

    @Test func logoIsInThePageAlone() async throws {
        let logo = try #require(PageLogo(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)))
        let response = try await Self.page(.authorize, nil, SignInPage(name: "Chat", logo: logo))
        let images = PageReading(response).all("img")
        #expect(images.map { $0.attributes["src"] } == [logo.dataURL])
        #expect(images.first?.attributes["alt"]?.isEmpty == true)
        #expect(!response.text.contains("class=\"badge\""))
        #expect(response.value(of: "Content-Security-Policy")?.hasSuffix("; img-src data:") == true)
        let without = try await Self.page(.authorize, nil)
        #expect(without.text.contains("class=\"badge\""))
        #expect(without.value(of: "Content-Security-Policy")?.contains("img-src") == false)
    }
}
