import Counting
import HTTPCore
import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Proxy
@testable import Tenants

/// Refusals in a tenant's own form.
struct RefusalBodyTests {
    private static let page =
        "<!doctype html><title>{title}</title><p>{detail}<p>{code} {status} {request_id} {upgrade_url}"

    private func rules(
        json: String? = nil,
        html: String? = nil,
        texts: [String: RefusalRules.Text] = [:]
    ) throws -> RefusalRules {
        RefusalRules(
            json: try json.map { try RefusalTemplate(Array($0.utf8), .json) },
            html: try html.map { try RefusalTemplate(Array($0.utf8), .html) },
            texts: texts
        )
    }

    private func response(
        _ refusal: Refusal,
        _ rules: RefusalRules?,
        prefersHTML: Bool = false,
        isGRPC: Bool = false
    ) -> GatewayResponse {
        GatewayResponse(
            refusal,
            RefusalContext(
                realm: "app",
                requestID: RequestPipeline.requestID,
                isGRPC: isGRPC,
                rules: rules,
                prefersHTML: prefersHTML
            )
        )
    }

    @Test func templateReplacesTheBodyAlone() throws {
        let rules = try rules(json: #"{"error":"{code}","message":"{detail}"}"#)
        for code in [Refusal.missingToken, .tokenExpired, .overloaded, .payloadTooLarge, .crossSite] {
            let (plain, own) = (response(code, nil), response(code, rules))
            #expect(own.contentType == "application/json")
            #expect(
                String(decoding: own.body, as: UTF8.self)
                    == "{\"error\":\"\(code.code.rawValue)\",\"message\":\"\(code.detail)\"}"
            )
            #expect(own.status == plain.status && own.fields == plain.fields && own.forbidsStoring)
        }
    }

    @Test func pageIsForThoseWhoPreferIt() throws {
        let rules = try rules(json: "{}", html: Self.page)
        #expect(response(.missingToken, rules).contentType == "application/json")
        let page = response(.missingToken, rules, prefersHTML: true)
        #expect(page.contentType == "text/html; charset=utf-8")
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.hasPrefix("<!doctype html><title>A token is needed</title>"))
        #expect(text.contains("missing_token 401 01234567-89ab-4def-bedc-ba9876543210"))
        let names = page.fields.map(\.name)
        for name in ["Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy"] {
            #expect(names.contains(name))
        }
        #expect(names.contains("WWW-Authenticate"))
        // Without a page of the tenant's the preference changes nothing.
        #expect(response(.missingToken, try self.rules(), prefersHTML: true).contentType == "application/problem+json")
    }

    @Test func textsReplaceTitleAndDetailAndNotTheChallenge() throws {
        let rules = try rules(texts: [
            "token_expired": RefusalRules.Text(title: "Bitte \"neu\" anmelden"),
            "overloaded": RefusalRules.Text(detail: "Gleich wieder da"),
        ])
        let expired = response(.tokenExpired, rules)
        let object = try #require(try JSONParser.parse(expired.body).object)
        #expect(object["title"]?.string == "Bitte \"neu\" anmelden")
        #expect(object["detail"]?.string == Refusal.tokenExpired.detail)
        #expect(object["code"]?.string == "token_expired")
        #expect(expired.fields == response(.tokenExpired, nil).fields)
        let overloaded = try #require(try JSONParser.parse(response(.overloaded, rules).body).object)
        #expect(overloaded["title"]?.string == "Too much is going on")
        #expect(overloaded["detail"]?.string == "Gleich wieder da")
    }

    @Test func callOfGRPCIsRefusedAsBefore() throws {
        let rules = try rules(json: "{}", html: Self.page, texts: ["overloaded": RefusalRules.Text(title: "x")])
        #expect(
            response(.overloaded, rules, prefersHTML: true, isGRPC: true) == response(.overloaded, nil, isGRPC: true)
        )
    }

    @Test func codesOfTextsAreThoseOfRefusals() {
        #expect(Set(RefusalRules.codes) == Set(RefusalCode.allCases.map(\.rawValue)))
    }

    // MARK: 426

    private static var upgrade: Refusal {
        var refusal = Refusal(.upgradeRequired, status: 426, detail: "update it")
        refusal.upgrade = AppUpgrade(minimum: "5.2.0", url: "https://apps.example.com/?a=\"")
        refusal.fields = [HeaderField("X-App-Update", "required")]
        return refusal
    }

    @Test func oldAppIsToldWhereTheNewOneIs() throws {
        let plain = try #require(try JSONParser.parse(response(Self.upgrade, nil).body).object)
        #expect(plain["upgrade_url"]?.string == "https://apps.example.com/?a=\"")
        #expect(plain["minimum_version"]?.string == "5.2.0")
        let own = response(Self.upgrade, try rules(json: #"{"url":"{upgrade_url}"}"#))
        #expect(try JSONParser.parse(own.body).object?["url"]?.string == "https://apps.example.com/?a=\"")
        #expect(own.unindexedFields.contains(HeaderField("X-App-Update", "required")))
        #expect(!own.fields.contains { $0.isNamed("Sec-WebSocket-Version") })
        #expect(GRPCStatus(Self.upgrade) == .failedPrecondition)
    }

    @Test(arguments: [(1, true, "Upgrade"), (1, false, "Upgrade, close"), (0, true, "Upgrade, keep-alive")])
    func everyUpgradeRequiredNamesWhatIsWanted(minorVersion: Int, stays: Bool, connection: String) throws {
        let webSocket = Refusal(.badRequest, status: 426, detail: "another version of WebSockets")
        for (refusal, protocolName) in [(Self.upgrade, "app/5.2.0"), (webSocket, "websocket")] {
            var out = ByteBuffer()
            let response = response(refusal, nil)
            _ = response.write(isHead: false, minorVersion: minorVersion, stays: stays, date: [], to: &out)
            let text = String(buffer: out)
            #expect(text.contains("\r\nUpgrade: \(protocolName)\r\nConnection: \(connection)\r\n"))
            #expect(text.components(separatedByField: "Connection:") == 1)
            // HTTP/2 has neither.
            #expect(!response.allFields.contains { $0.isNamed("Upgrade") || $0.isNamed("Connection") })
        }
    }
}

extension String {
    /// How many lines begin with a name.
    fileprivate func components(separatedByField name: String) -> Int {
        split(separator: "\r\n").count { $0.hasPrefix(name) }
    }
}
