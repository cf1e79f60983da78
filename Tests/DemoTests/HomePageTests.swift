import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import Verification

@testable import Demo

struct HomePageTests {
    private func page(_ fields: [String: String]) async throws -> String {
        let backend = ChatBackend(key: try AppKey(.es256, try SigningKey.generate(.p256)), now: { noon })
        var headers = HTTPFields()
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        return try await Application(router: backend.makeRouter()).test(.router) { [headers] client in
            try await client.execute(uri: "/", method: .get, headers: headers) { response in
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "text/html; charset=utf-8")
                return String(buffer: response.body)
            }
        }
    }

    @Test func signedInUserIsShownAsGatewaySays() async throws {
        let page = try await page(["X-User-Email": "alice@chat.example", "X-Forwarded-Host": "chat.localhost:8080"])
        #expect(page.contains("<h1>chat: You are signed in</h1>"))
        #expect(page.contains("<dd>alice@chat.example</dd>"))
        #expect(page.contains("action=\"/api/auth/logout\""))
        #expect(page.contains("href=\"http://localhost:8080/\""))
    }

    @Test func nobodyIsOfferedSignIn() async throws {
        let page = try await page(["X-Forwarded-Host": "chat.localtest"])
        #expect(page.contains("Nobody is signed in"))
        #expect(page.contains("href=\"/api/auth/login\""))
        #expect(!page.contains("All apps of the demo"))
    }

    @Test func companyPageLeadsToAccountAndSignIn() async throws {
        let router = Router(context: BasicRequestContext.self)
        CompanyApp.addRoutes(to: router)
        let host = try #require(HTTPField.Name("X-Forwarded-Host"))
        let page = try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/company", method: .get, headers: [host: "localhost:8080"]) { response in
                String(buffer: response.body)
            }
        }
        #expect(page.contains("<h1>company: Nobody is signed in</h1>"))
        for link in ["/company/login", "/company/account", "http://localhost:8080/"] {
            #expect(page.contains("href=\"\(link)\""), "\(link)")
        }
    }

    @Test func fieldsAreTextWhateverTheyContain() async throws {
        let page = try await page(["X-User-Name": "<img src=x>", "X-Forwarded-Host": "a\"><b>.localhost:1"])
        #expect(!page.contains("<img") && !page.contains("<b>"))
        #expect(page.contains("&lt;img src=x&gt;"))
    }
}
