import Logging
import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// The session service of one instance, and a verifier of its tokens.
struct SessionFixture {
    /// When tests begin.
    static let start = UnixTime(1_800_000_000.25)

    let rules: IssuerRules
    let sessions: SessionService
    private let files: FakeKeyFiles

    /// - Parameter problem: Makes signing fail.
    init(
        _ rules: IssuerRules = .chat,
        _ store: any Store = MemoryStore.still,
        problem: SigningProblem? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        self.rules = rules
        files = try TestKeys.files()
        sessions = SessionService(
            rules,
            store: store,
            keys: SessionTestKeys(algorithm: rules.algorithm, problem: problem),
            revocations: StoredRevocations(store: store),
            logger: logger
        )
    }

    func signIn(_ subject: String = "alice", at now: UnixTime = start) async throws -> IssuedTokens {
        try await sessions.start(SessionOpening(subject: subject, claims: ["email": "alice@example.org"]), at: now)
    }

    /// The claims, not verified.
    func claims(_ token: String?) throws -> JSONObject { try part(1, of: token) }

    func header(_ token: String?) throws -> JSONObject { try part(0, of: token) }

    private func part(_ index: Int, of token: String?) throws -> JSONObject {
        let parts = try #require(token).split(separator: ".").map(String.init)
        let bytes = try #require(Base64URL.decode(parts[index]))
        return try #require(JSONParser.parse(bytes).object)
    }

    func verify(_ tokens: IssuedTokens, at now: UnixTime = start) throws -> Principal {
        try rules.verifier(files).verify(Array(tokens.accessToken.utf8), at: now)
    }
}

extension IssuedTokens {
    /// The refresh token, which must be present.
    var refresh: String {
        get throws { try #require(refreshToken) }
    }
}

/// The refusal of a call; nil if it succeeded.
func refusal<Result>(_ call: () async throws -> Result) async throws -> IssuingRefusal? {
    do {
        _ = try await call()
        return nil
    } catch IssuingError.refused(let refusal) {
        return refusal
    }
}
