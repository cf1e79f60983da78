import Verification

/// Users in Chromium; see `browser.py`.
enum Person {
    /// The result of a scenario.
    static func plays(
        _ scenario: String,
        in fixture: SignInFixture,
        at authorize: String? = nil,
        _ options: [String: String] = [:]
    ) async throws -> JSONObject {
        let defaults = ["authorize": authorize ?? fixture.authorize(), "site": fixture.chat, "app": fixture.app]
        let all = defaults.merging(options) { _, given in given }.map { "\($0.key)=\($0.value)" }
        return try jsonLine(try await Program.python.succeed([Program.script("browser"), scenario] + all))
    }
}
