import Tenants
import Testing
import Verification

/// The gateway as curl sees it.
@Suite struct CurlTests {
    private func url(_ fixture: GatewayFixture, _ path: String) -> [String] {
        ["--resolve", "app.test:\(fixture.address.port):127.0.0.1", "http://app.test:\(fixture.address.port)\(path)"]
    }

    @Test func curlGetsAnAnswerWithAToken() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token(algorithm: .rs256)
            let output = try await Curl.run(["--fail", "--oauth2-bearer", token] + url(fixture, "/x"))
            #expect(output.exit == 0)
            #expect(output.text == "ok")
        }
    }

    @Test func curlGetsTheRefusalWithoutOne() async throws {
        try await withGateway { fixture async throws in
            let output = try await Curl.run(["--write-out", "\n%{http_code} %{content_type}"] + url(fixture, "/x"))
            #expect(output.text.hasSuffix("\n401 application/problem+json"))
            #expect(output.text.contains("\"missing_token\""))
        }
    }

    @Test func curlUploadsWithAndWithoutALength() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let body = String(repeating: "0123456789", count: 20_000)
            for fields in [[], ["--header", "Transfer-Encoding: chunked"], ["--header", "Expect: 100-continue"]] {
                let output = try await Curl.run(
                    fields + ["--data-binary", body.prefix(100_000).description] + url(fixture, "/open/x")
                )
                #expect(output.exit == 0, "\(fields)")
                let same = output.text == body.prefix(100_000)
                #expect(same, "\(fields)")
            }
        }
    }

    @Test func curlUsesItsConnectionAgain() async throws {
        try await withGateway { fixture async throws in
            let format = ["--write-out", " %{num_connects}\n"]
            let output = try await Curl.run(format + url(fixture, "/open/a") + url(fixture, "/open/b").suffix(1))
            #expect(output.text == "ok 1\nok 0\n")
        }
    }

    @Test func curlSpeaksHTTP10AndHead() async throws {
        try await withGateway { fixture async throws in
            let old = try await Curl.run(["--http1.0"] + url(fixture, "/open/x"))
            #expect(old.exit == 0 && old.text == "ok")
            let head = try await Curl.run(["--head"] + url(fixture, "/open/x"))
            #expect(head.exit == 0 && head.text.hasPrefix("HTTP/1.1 200"))
        }
    }
}
