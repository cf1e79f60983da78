import TestSupport
import Testing
import Verification

/// Refusals in the form of a tenant's files.
@Suite struct RefusalTemplateFileTests {
    private static let setup = GatewaySetup(
        gateway: "trusted_proxies: [127.0.0.1/32]",
        tenant: """
            refusals:
              json: "{json}"
              html: "{html}"
              texts: { missing_token: { title: "Bitte <anmelden>" } }
            limits: { body_bytes: 10B }
            """
    )

    private func withTemplates(_ test: (GatewayFixture) async throws -> Void) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let values = [
            "json": try scratch.write(#"{"error":{"code":"{code}","text":"{title}"},"http":{status}}"#, to: "own.json"),
            "html": try scratch.write("<h1>{title}</h1><p>{request_id}", to: "own.html"),
        ]
        try await withGateway(Self.setup, values: values) { fixture async throws in try await test(fixture) }
    }

    @Test func clientsReadTheFormTheyKnow() async throws {
        try await withTemplates { fixture async throws in
            let response = try await fixture.request("/x")
            #expect(response.status == 401 && response.fields["Content-Type"] == ["application/json"])
            #expect(response.fields["WWW-Authenticate"] == ["Bearer realm=\"app\""])
            #expect(response.fields["Cache-Control"] == ["no-store"])
            let body = #"{"error":{"code":"missing_token","text":"Bitte <anmelden>"},"http":401}"#
            #expect(response.body.text == body)
            let head = try await fixture.request("/x", method: "HEAD")
            #expect(head.fields["Content-Length"] == ["\(body.utf8.count)"] && head.body.bytes.isEmpty)
            let large = try await fixture.request("/x", method: "POST", fields: ["Content-Length: 11"])
            #expect(large.status == 413 && large.body.text.hasPrefix(#"{"error":{"code":"payload_too_large""#))
            let nobody = try await fixture.request("/x", host: "nobody.test")
            expectRefusal(nobody, 404, "unknown_host")
        }
    }

    @Test func browsersGetThePage() async throws {
        try await withTemplates { fixture async throws in
            let accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
            let response = try await fixture.request("/x", fields: [accept])
            #expect(response.status == 401 && response.fields["Content-Type"] == ["text/html; charset=utf-8"])
            #expect(response.body.text.hasPrefix("<h1>Bitte &lt;anmelden&gt;</h1><p>"))
            #expect(response.fields["Content-Security-Policy"].first?.hasPrefix("default-src 'none'") == true)
            #expect(response.fields["X-Content-Type-Options"] == ["nosniff"])
            let client = try await fixture.http2()
            let stream = try await client.open("/x", fields: [("accept", "text/html")])
            guard case .fields(let head, _) = try await client.event(on: stream) else { throw Malformed("no head") }
            #expect(head["content-type"] == ["text/html; charset=utf-8"] && head["www-authenticate"].count == 1)
        }
    }

    @Test func otherProxiesPassTheFormOn() async throws {
        try await withTemplates { fixture async throws in
            let fields = ["X-Forwarded-Host: app.test", "X-Forwarded-Uri: /x", "X-Forwarded-Method: GET"]
            let response = try await fixture.request("/.gatehouse/auth", host: "proxy.test", fields: fields)
            #expect(response.status == 401 && response.body.text.hasPrefix(#"{"error":{"code":"missing_token""#))
            let page = try await fixture.request(
                "/.gatehouse/auth",
                host: "proxy.test",
                fields: fields + ["Accept: text/html"]
            )
            #expect(page.status == 401 && page.body.text.hasPrefix("<h1>Bitte"))
        }
    }
}
