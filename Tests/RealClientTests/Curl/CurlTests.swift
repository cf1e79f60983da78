import Foundation
import Testing
import Verification

extension RealClients {
    /// curl over every version of HTTP that the gateway speaks.
    @Suite struct CurlTests {
        enum Way: String, CaseIterable {
            case http1
            case http1OverTLS
            case priorKnowledge
            case http2OverTLS

            var isHTTP2: Bool { self == .priorKnowledge || self == .http2OverTLS }
            var isTLS: Bool { self == .http1OverTLS || self == .http2OverTLS }

            fileprivate var options: [String] {
                switch self {
                case .http1, .http1OverTLS: ["--http1.1"]
                case .priorKnowledge: ["--http2-prior-knowledge"]
                case .http2OverTLS: ["--http2"]
                }
            }
        }

        private static func url(_ fixture: RealGateway, _ way: Way, _ path: String, host: String = "app.test") -> String
        {
            "\(way.isTLS ? "https" : "http")://\(host):\(way.isTLS ? fixture.securedPort : fixture.plainPort)\(path)"
        }

        private static func run(
            _ fixture: RealGateway,
            _ way: Way,
            _ path: String,
            host: String = "app.test",
            _ options: [String] = []
        ) async throws -> Program.Output {
            let port = way.isTLS ? fixture.securedPort : fixture.plainPort
            let common = [
                "--disable", "--silent", "--show-error", "--max-time", "50", "--noproxy", "*", "--cacert",
                fixture.authority, "--resolve", "\(host):\(port):127.0.0.1",
            ]
            let arguments = common + way.options + options + [url(fixture, way, path, host: host)]
            let output = try await Program.curl.run(arguments)
            guard output.status == 0 else { throw Program.Failure("curl: \(output.status) \(output.complaints)") }
            return output
        }

        @Test(arguments: Way.allCases)
        func getSucceeds(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let token = "Authorization: Bearer \(try fixture.token())"
                let report = ["--header", token, "--write-out", "\n%{http_version} %{http_code}"]
                let output = try await Self.run(fixture, way, "/private", report)
                #expect(output.text == "ok\n\(way.isHTTP2 ? "2" : "1.1") 200")
                let seen = try jsonLine(try await Self.run(fixture, way, "/open/seen?a=b", ["--header", token]).text)
                #expect(seen["target"] == "/open/seen?a=b")
                #expect(seen.received("x-user-id") == ["alice"])
                #expect(seen.received("authorization") == [])
                #expect(seen.received("host").first?.hasPrefix("app.test") == true)
                #expect(seen.received("x-forwarded-proto") == [way.isTLS ? "https" : "http"])
                #expect(seen.received("via").first?.hasPrefix(way.isHTTP2 ? "2" : "1.1") == true)
            }
        }

        @Test(arguments: Way.allCases)
        func tenMebibytesAreEchoed(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let file = fixture.certificates.file("upload")
                var random = SystemRandomNumberGenerator()
                let words = (0..<(10 << 17)).map { _ in random.next() as UInt64 }
                let data = words.withUnsafeBytes { Data($0) }
                try data.write(to: URL(fileURLWithPath: file))
                // HTTP/2 has no transfer codings (RFC 9113 section 8.2.2).
                for coding in way.isHTTP2 ? [[]] : [[], ["--header", "Transfer-Encoding: chunked"]] {
                    let upload = coding + ["--header", "Expect:", "--request", "POST", "--upload-file", file]
                    let back = try await Self.run(fixture, way, "/open/echo", upload).bytes
                    let same = Data(back) == data
                    #expect(same, "\(coding): \(back.count) bytes")
                }
            }
        }

        @Test(arguments: Way.allCases)
        func largeDownloadArrivesWhole(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let bytes = try await Self.run(fixture, way, "/open/large").bytes
                #expect(bytes.count == 10 << 20)
                let unharmed = bytes.indices.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: $0) }
                #expect(unharmed)
            }
        }

        @Test(arguments: Way.allCases)
        func trailersArrive(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let heads = fixture.certificates.file("heads")
                let output = try await Self.run(fixture, way, "/open/trailers", ["--dump-header", heads])
                #expect(output.text == "with trailers")
                let fields = try String(contentsOfFile: heads, encoding: .utf8).lowercased()
                #expect(fields.contains("\r\n\r\nx-checksum: 42\r\n"), "\(fields)")
            }
        }

        @Test(arguments: Way.allCases)
        func headHasFieldsAndNoBody(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await Self.run(fixture, way, "/open/large", ["--head"]).text.lowercased()
                #expect(output.contains("content-length: \(10 << 20)\r\n"))
                #expect(output.hasSuffix("\r\n\r\n"))
            }
        }

        @Test(arguments: Way.allCases)
        func notModifiedIsPassedOn(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let condition = ["--header", "If-None-Match: \"v1\"", "--write-out", "%{http_code} %{size_download}"]
                #expect(try await Self.run(fixture, way, "/open/tagged", condition).text == "304 0")
                #expect(try await Self.run(fixture, way, "/open/tagged").text == "version 1")
            }
        }

        /// Not with prior knowledge: curl 7.88 fails its second request so with any server (h2load makes many instead).
        @Test(arguments: [Way.http1, .http1OverTLS, .http2OverTLS])
        func manyRequestsShareConnection(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await Self.run(fixture, way, "/open/[1-100]", ["--write-out", " %{num_connects}\n"])
                    .text
                let lines = output.split(separator: "\n")
                #expect(lines.first == "ok 1")
                #expect(lines.dropFirst() == Array(repeating: "ok 0", count: 99)[...])
            }
        }

        @Test(arguments: [Way.http1, .http1OverTLS])
        func expectingClientGets100(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let options = [
                    "--header", "Expect: 100-continue", "--expect100-timeout", "40", "--data-binary", "the body",
                    "--verbose",
                ]
                let output = try await Self.run(fixture, way, "/open/echo", options)
                #expect(output.text == "the body")
                #expect(output.complaints.contains("< HTTP/1.1 100 Continue"))
            }
        }

        @Test(arguments: Way.allCases)
        func refusalsAreCompleteInEveryVersion(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                for (token, code) in [(nil, "missing_token"), ("not-a-token", "invalid_token")] {
                    let header = token.map { ["--header", "Authorization: Bearer \($0)"] } ?? []
                    let output = try await Self.run(fixture, way, "/private", ["--include"] + header).text
                    let head = output.lowercased()
                    #expect(head.hasPrefix("http/\(way.isHTTP2 ? "2" : "1.1") 401"))
                    #expect(head.contains("\r\nwww-authenticate: bearer realm=\"app\""))
                    #expect(head.contains("error=\"invalid_token\"") == (token != nil))
                    #expect(head.contains("\r\ncontent-type: application/problem+json\r\n"))
                    let body = try #require(output.range(of: "\r\n\r\n")).upperBound
                    #expect(try jsonLine(String(output[body...]))["code"]?.string == code)
                }
            }
        }

        /// Over HTTP/1.1 only: curl 7.88 takes the reset with NO_ERROR after the response (RFC 9113 section 8.1) for an
        /// error, from any server.
        @Test(arguments: [Way.http1, .http1OverTLS])
        func refusedUploadIsAnsweredAtOnce(_ way: Way) async throws {
            try await withRealGateway { fixture async throws in
                let file = fixture.certificates.file("upload")
                try Data(repeating: 7, count: 10 << 20).write(to: URL(fileURLWithPath: file))
                let options = [
                    "--request", "POST", "--upload-file", file, "--write-out", "%{http_code}", "--output", "/dev/null",
                ]
                // curl reports the response although its upload was cut short.
                #expect(try await Self.run(fixture, way, "/private", options).text == "401")
            }
        }
    }
}
