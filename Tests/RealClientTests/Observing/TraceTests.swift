import Testing
import Verification

extension RealClients {
    /// Traces as OpenTelemetry's own library reads them in a collector.
    @Suite struct TraceTests {
        private struct Span {
            let object: JSONObject

            init(_ line: String) throws { object = try jsonLine(line) }

            func text(_ name: String) -> String { object[name]?.string ?? "" }
            func attribute(_ name: String) -> JSONValue? { object["attributes"]?.object?[name] }
            var isError: Bool { object["is_error"] == true }
            var duration: Double { (object["end"]?.double ?? 0) - (object["start"]?.double ?? 0) }
            /// Name and kind of the span.
            var title: String { "\(text("kind")) \(text("name"))" }
        }

        private static func spans(_ count: Int, from fixture: ObservingFixture) async throws -> [Span] {
            var spans: [Span] = []
            for _ in 0..<count { spans.append(try Span(try await fixture.collector.line())) }
            return spans
        }

        @Test func spansDescribeDecisionAndServer() async throws {
            try await withObservingFixture { fixture, _ async throws in
                let token = try ObservingFixture.token("first")
                let seen = try jsonLine(try await fixture.get("/x/y?secret=query", token: token))
                let spans = try await Self.spans(3, from: fixture)
                #expect(spans.map(\.title) == ["server GET", "internal decide", "client GET"])
                #expect(Set(spans.map { $0.text("trace") }).count == 1)
                #expect(Set(spans.map { $0.text("span") }).count == 3)
                #expect(spans[0].text("parent").isEmpty)
                #expect(spans.dropFirst().allSatisfy { $0.text("parent") == spans[0].text("span") })
                // The backend goes on from the span that stands for its request.
                let parents = seen.received("traceparent")
                #expect(parents == ["00-\(spans[2].text("trace"))-\(spans[2].text("span"))-01"])
                let expected: [(Int, String, JSONValue)] = [
                    (0, "http.request.method", "GET"), (0, "url.path", "/x/y"), (0, "url.scheme", "http"),
                    (0, "http.response.status_code", 200), (0, "network.protocol.version", "1.1"),
                    (0, "client.address", "127.0.0.1"), (0, "gatehouse.tenant", "app"),
                    (0, "gatehouse.outcome", "granted"), (1, "gatehouse.outcome", "granted"),
                    (2, "http.request.method", "GET"), (2, "server.address", "127.0.0.1"),
                    (2, "server.port", .number(JSONNumber(Int(fixture.backendPort) ?? 0))),
                    (2, "http.response.status_code", 200),
                ]
                for (index, name, value) in expected { #expect(spans[index].attribute(name) == value, "\(name)") }
                #expect(spans[0].attribute("gatehouse.request_id")?.string == seen.received("x-request-id").first)
                #expect(spans.allSatisfy { !$0.isError && $0.duration >= 0 && $0.duration < 60 })
                #expect(spans[0].object["resource"]?.object?["service.name"] == "gatehouse")
                let all = spans.map { JSONWriter.text(of: .object($0.object)) }.joined()
                for secret in [token, "secret=query", "Bearer"] { #expect(!all.contains(secret)) }
            }
        }

        @Test func traceContinuesFromClientToBackend() async throws {
            let trace = "0af7651916cd43dd8448eb211c80319c"
            try await withObservingFixture(sample: 0) { fixture, _ async throws in
                // This client has not sampled it: neither do we, and its fields are forwarded unchanged.
                let quiet = "00-\(trace)-b7ad6b7169203331-00"
                var seen = try jsonLine(
                    try await fixture.get("/open/x", fields: ["traceparent: \(quiet)", "tracestate: a=1"])
                )
                #expect(seen.received("traceparent") == [quiet])
                #expect(seen.received("tracestate") == ["a=1"])
                // Not sampled by anyone, with a sample share of zero.
                seen = try jsonLine(try await fixture.get("/open/x"))
                #expect(seen.received("traceparent").allSatisfy { $0.hasSuffix("-00") })
                let fields = ["traceparent: 00-\(trace)-00f067aa0ba902b7-01", "tracestate: a=1,b=2"]
                seen = try jsonLine(try await fixture.get("/open/x", fields: fields))
                // The first span is of the third request.
                let spans = try await Self.spans(3, from: fixture)
                #expect(spans.allSatisfy { $0.text("trace") == trace })
                #expect(spans[0].text("parent") == "00f067aa0ba902b7")
                #expect(seen.received("traceparent") == ["00-\(trace)-\(spans[2].text("span"))-01"])
                #expect(seen.received("tracestate") == ["a=1,b=2"])
            }
        }

        /// The gateway has no access log, which reads the address too.
        @Test func spanUsesClientAddressOfTrustedProxy() async throws {
            let fields = ["X-Forwarded-For: 192.0.2.1, 198.51.100.7"]
            for (trusts, address) in [(true, "198.51.100.7"), (false, "127.0.0.1")] {
                try await withObservingFixture(trusts: trusts) { fixture, _ async throws in
                    _ = try await fixture.get("/open/x", fields: fields)
                    let spans = try await Self.spans(3, from: fixture)
                    #expect(spans[0].attribute("client.address")?.string == address)
                }
            }
        }

        @Test func refreshIsSpanBetweenBothRequests() async throws {
            try await withObservingFixture { fixture, renewed async throws in
                let seen = try jsonLine(try await fixture.get("/again", token: try ObservingFixture.token("old")))
                #expect(seen.received("authorization") == ["Bearer \(renewed)"])
                let spans = try await Self.spans(5, from: fixture)
                #expect(
                    spans.map(\.title) == [
                        "server GET", "internal decide", "client GET", "internal refresh", "client GET",
                    ]
                )
                #expect(spans[2].attribute("http.response.status_code") == 401)
                #expect(spans[3].attribute("gatehouse.refresh.trigger") == "unauthorized")
                #expect(spans[3].attribute("gatehouse.refresh.outcome") == "renewed")
                #expect(spans[4].attribute("http.response.status_code") == 200)
                #expect(spans[0].attribute("http.response.status_code") == 200)
                let parent = "00-\(spans[0].text("trace"))-\(spans[4].text("span"))-01"
                #expect(seen.received("traceparent") == [parent])
                #expect(!spans.contains { JSONWriter.text(of: .object($0.object)).contains(renewed) })
            }
        }

        @Test func failedSpanCarriesReason() async throws {
            try await withObservingFixture { fixture, _ async throws in
                _ = try await fixture.get("/x")
                var spans = try await Self.spans(2, from: fixture)
                #expect(spans.map(\.title) == ["server GET", "internal decide"])
                #expect(spans[1].attribute("gatehouse.outcome") == "missing_token")
                // An error of the client is not one of the server (OpenTelemetry semantic conventions for HTTP).
                #expect(!spans[0].isError && spans[0].attribute("http.response.status_code") == 401)

                let token = try ObservingFixture.token("first")
                _ = try await fixture.get("/fails", token: token)
                spans = try await Self.spans(3, from: fixture)
                #expect(spans[0].isError && spans[0].attribute("error.type") == "500")
                #expect(spans[2].isError && spans[2].attribute("http.response.status_code") == 500)

                _ = try await fixture.get("/lost", token: token)
                spans = try await Self.spans(3, from: fixture)
                #expect(spans[0].isError && spans[0].attribute("error.type") == "backend_unavailable")
                #expect(spans[0].attribute("http.response.status_code") == 502)
                #expect(spans[2].isError && spans[2].attribute("error.type") == "backend_unavailable")
            }
        }

        @Test func spansAreResentAfterCollectorOutage() async throws {
            try await withObservingFixture(refusals: 1) { fixture, _ async throws in
                _ = try await fixture.get("/open/x")
                #expect(try await fixture.collector.line() == "refused")
                #expect(try await Self.spans(3, from: fixture).map(\.title).contains("client GET"))
            }
        }
    }
}
