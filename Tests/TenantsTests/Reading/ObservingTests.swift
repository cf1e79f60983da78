import Testing

@testable import Tenants

/// `gateway.log` and `gateway.tracing`.
struct ObservingTests {
    private func settings(_ section: String) throws -> GatewaySettings {
        let result = Sample.read(Sample.gateway(section))
        #expect(result.diagnostics.map(\.description) == [], "\(section)")
        return try #require(result.configuration).gateway
    }

    private func mistakes(_ section: String) -> [String] {
        Sample.read(Sample.gateway(section)).diagnostics.map(\.description)
    }

    @Test func levelsAreReadByModule() throws {
        let log = try settings("log: { level: warning, levels: { keys: debug, sign_in: error } }").log
        #expect(log.levels == [.keys: .debug, .signIn: .error])
        #expect(log.level(of: .keys) == .debug)
        #expect(log.level(of: .refresh) == .warning)
        #expect(log.level(of: nil) == .warning)
        #expect(try settings("threads: 1").log == LogSettings())
    }

    @Test func queryIsLoggedOnlyIfConfigured() throws {
        #expect(try settings("log: { query: true }").log == LogSettings(query: true))
        #expect(try !settings("log: { access: true }").log.query)
    }

    @Test func unknownModulesAreErrors() {
        #expect(mistakes("log: { levels: { keyz: debug } }").count == 1)
        #expect(mistakes("log: { levels: { keys: loud } }").count == 1)
    }

    @Test(arguments: [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("http://collector.internal:4318/", "http://collector.internal:4318/v1/traces"),
        ("https://otlp.example/tempo", "https://otlp.example/tempo/v1/traces"),
        ("https://otlp.example/v1/traces", "https://otlp.example/v1/traces"),
        ("http://[::1]:4318", "http://[::1]:4318/v1/traces"),
    ])
    func tracesGoToThePathBelowTheAddress(otlp: String, endpoint: String) throws {
        #expect(
            try settings("tracing: { otlp: '\(otlp)' }").tracing == TracingSettings(endpoint: endpoint, sample: 0.1)
        )
    }

    @Test func sampleShareIsRead() throws {
        for (text, share) in [("0", 0.0), ("1", 1), ("0.25", 0.25)] {
            #expect(try settings("tracing: { otlp: 'http://h', sample: \(text) }").tracing?.sample == share)
        }
        #expect(try settings("threads: 1").tracing == nil)
    }

    @Test(arguments: [
        "ftp://h", "h:4318", "http://", "http://h:0", "http://h/?a=b", "http://h/#a", "http://u:p@h", "http://h h",
        "http://h/\u{e9}",
    ])
    func otherAddressesAreMistakes(otlp: String) {
        let mistakes = mistakes("tracing: { otlp: '\(otlp)' }")
        #expect(mistakes.count == 1 && mistakes.allSatisfy { $0.contains("\"otlp\" must be the http:// or https://") })
    }
}
