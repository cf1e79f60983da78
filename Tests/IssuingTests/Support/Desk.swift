import Logging
import Store
import Testing
import Verification

@testable import Issuing

/// One instance's book of a tenant, with who verifies its tokens.
struct Desk {
    /// When tests begin.
    static let start = 1_800_000_000.25

    let rules: IssuerRules
    let book: SessionBook
    let files: PretendFiles

    init(_ rules: IssuerRules = .chat, _ store: any Store = MemoryStore(), files: PretendFiles? = nil) throws {
        self.rules = rules
        let files = try files ?? TestKeys.files()
        self.files = files
        book = SessionBook(
            rules,
            store: store,
            mint: TestKeys.mint(rules.algorithm, files),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func signIn(_ subject: String = "alice", at now: Double = start) async throws -> IssuedTokens {
        try await book.start(subject: subject, claims: ["email": "alice@example.org"], at: now)
    }

    func verify(_ tokens: IssuedTokens, at now: Double = start) throws -> Principal {
        try rules.verifier(files).verify(Array(tokens.accessToken.utf8), at: now)
    }
}

extension IssuedTokens {
    /// The refresh token; a test that gets none has failed.
    var refresh: String {
        get throws { try #require(refreshToken) }
    }
}

/// What a call was refused for; nil if it gave something.
func refusal<Result>(_ call: () async throws -> Result) async throws -> IssuingRefusal? {
    do {
        _ = try await call()
        return nil
    } catch IssuingError.refused(let refusal) {
        return refusal
    }
}
