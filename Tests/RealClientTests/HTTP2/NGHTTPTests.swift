import Foundation
import Testing

extension RealClients {
    /// nghttp2's own client and load generator, which check HTTP/2 strictly.
    @Suite struct NGHTTPTests {
        private static func url(_ fixture: RealGateway, tls: Bool, _ path: String, host: String = "127.0.0.1") -> String
        {
            "\(tls ? "https" : "http")://\(host):\(tls ? fixture.securedPort : fixture.plainPort)\(path)"
        }

        private static let verbose = ["--verbose", "--no-verify-peer", "--header=:authority: app.test"]

        /// The first line of each frame that the gateway sent, in order.
        private static func received(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { $0.contains("recv ") }
        }

        @Test(arguments: [false, true])
        func connectionStartsWithSettings(_ tls: Bool) async throws {
            try await withRealGateway { fixture async throws in
                let text = try await Program.nghttp.succeed(
                    Self.verbose + [Self.url(fixture, tls: tls, "/open/trailers")]
                )
                let frames = Self.received(text)
                #expect(frames.first { $0.contains("frame") }?.contains("recv SETTINGS frame") == true, "\(text)")
                #expect(text.contains("[SETTINGS_ENABLE_CONNECT_PROTOCOL(0x08):1]"))
                #expect(text.contains("recv (stream_id=13) :status: 200"))
                #expect(text.contains("recv DATA frame"))
                #expect(text.contains("recv (stream_id=13) x-checksum: 42"))
                // Ours acknowledges theirs.
                #expect(frames.contains { $0.contains("recv SETTINGS frame <length=0, flags=0x01") })
                #expect(!text.contains("recv RST_STREAM") && !text.contains("PROTOCOL_ERROR"))
            }
        }

        @Test func manyLargeStreamsArriveWhole() async throws {
            try await withRealGateway { fixture async throws in
                // Twenty of ten mebibytes at once share two windows.
                let arguments = ["--null-out", "--stat", "--multiply=20", "--header=:authority: app.test"]
                let text = try await Program.nghttp.succeed(arguments + [Self.url(fixture, tls: false, "/open/large")])
                let responses = text.split(separator: "\n").filter {
                    $0.hasSuffix(" /open/large") && $0.contains(" 200 ")
                }
                #expect(responses.count == 20, "\(text.suffix(2000))")
                #expect(responses.allSatisfy { $0.contains(" 10M ") }, "\(text.suffix(2000))")
            }
        }

        @Test(arguments: [false, true])
        func refusedUploadIsAnsweredAndStopped(_ tls: Bool) async throws {
            try await withRealGateway { fixture async throws in
                let file = fixture.certificates.file("upload")
                try Data(repeating: 7, count: 10 << 20).write(to: URL(fileURLWithPath: file))
                let upload = ["--data=\(file)", Self.url(fixture, tls: tls, "/private")]
                let text = try await Program.nghttp.succeed(Self.verbose + upload)
                #expect(text.contains("recv (stream_id=13) :status: 401"))
                #expect(text.contains("recv (stream_id=13) www-authenticate: Bearer realm=\"app\""))
                // NO_ERROR: the rest of the upload is not needed.
                #expect(text.contains("recv RST_STREAM frame") && text.contains("error_code=NO_ERROR(0x00)"))
            }
        }

        @Test(arguments: [false, true])
        func drainingSendsGoAwayAndFinishesRequests(_ tls: Bool) async throws {
            try await withRealGateway { fixture async throws in
                let client = try Program.nghttp.start(Self.verbose + [Self.url(fixture, tls: tls, "/open/held")])
                #expect(try await fixture.backend.line() == "held")
                async let down: Void = fixture.shutdown()
                try await client.line(with: "recv GOAWAY frame")
                try fixture.backend.write("go on\n")
                let output = try await client.output()
                #expect(output.status == 0, "\(output.complaints)")
                #expect(output.text.contains("error_code=NO_ERROR(0x00)"))
                #expect(output.text.contains("held and answered"))
                await down
            }
        }

        @Test(arguments: [false, true])
        func twoThousandRequestsOnTenConnectionsSucceed(_ tls: Bool) async throws {
            try await withRealGateway { fixture async throws in
                let port = tls ? fixture.securedPort : fixture.plainPort
                let load = ["--requests=2000", "--clients=10", "--max-concurrent-streams=20"]
                let target = [
                    "--connect-to=127.0.0.1:\(port)", Self.url(fixture, tls: tls, "/open/x", host: "app.test"),
                ]
                let text = try await Program.h2load.succeed(load + target)
                #expect(
                    text.contains("requests: 2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored"),
                    "\(text)"
                )
                #expect(text.contains("status codes: 2000 2xx, 0 3xx, 0 4xx, 0 5xx"), "\(text)")
                #expect(text.contains("Application protocol: \(tls ? "h2" : "h2c")"), "\(text)")
            }
        }
    }
}
