import Tenants
import Testing
import Verification

/// The gateway as curl sees it.
@Suite struct CurlTests {
    private func url(_ house: House, _ path: String) -> [String] {
        ["--resolve", "app.test:\(house.address.port):127.0.0.1", "http://app.test:\(house.address.port)\(path)"]
    }

    @Test func curlGetsAnAnswerWithAToken() async throws {
        try await withHouse { house async throws in
            let token = try house.token(algorithm: .rs256)
            let output = try await Curl.run(["--fail", "--oauth2-bearer", token] + url(house, "/x"))
            #expect(output.exit == 0)
            #expect(output.text == "ok")
        }
    }

    @Test func curlGetsTheRefusalWithoutOne() async throws {
        try await withHouse { house async throws in
            let output = try await Curl.run(["--write-out", "\n%{http_code} %{content_type}"] + url(house, "/x"))
            #expect(output.text.hasSuffix("\n401 application/problem+json"))
            #expect(output.text.contains("\"missing_token\""))
        }
    }

    @Test func curlUploadsWithAndWithoutALength() async throws {
        try await withHouse(backend: .echo) { house async throws in
            let body = String(repeating: "0123456789", count: 20_000)
            for fields in [[], ["--header", "Transfer-Encoding: chunked"], ["--header", "Expect: 100-continue"]] {
                let output = try await Curl.run(
                    fields + ["--data-binary", body.prefix(100_000).description] + url(house, "/open/x")
                )
                #expect(output.exit == 0, "\(fields)")
                let same = output.text == body.prefix(100_000)
                #expect(same, "\(fields)")
            }
        }
    }

    @Test func curlUsesItsConnectionAgain() async throws {
        try await withHouse { house async throws in
            let format = ["--write-out", " %{num_connects}\n"]
            let output = try await Curl.run(format + url(house, "/open/a") + url(house, "/open/b").suffix(1))
            #expect(output.text == "ok 1\nok 0\n")
        }
    }

    @Test func curlSpeaksHTTP10AndHead() async throws {
        try await withHouse { house async throws in
            let old = try await Curl.run(["--http1.0"] + url(house, "/open/x"))
            #expect(old.exit == 0 && old.text == "ok")
            let head = try await Curl.run(["--head"] + url(house, "/open/x"))
            #expect(head.exit == 0 && head.text.hasPrefix("HTTP/1.1 200"))
        }
    }
}
