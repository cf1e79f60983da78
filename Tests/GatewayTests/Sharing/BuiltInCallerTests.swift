import IdentityProvider
import Logging
import Store
import Synchronization
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Gateway
@testable import SharedState
@testable import Tenants

/// Refreshing sessions of a tenant's own issuer.
struct BuiltInCallerTests {
    private static let now = UnixTime(1_800_000_000)
    private static let directory = "/keys"

    /// An issuer with its keys in memory, and what a refresh of its sessions comes to.
    private struct Desk {
        let files: Files
        let issuers: OwnIssuers
        let caller: BuiltInCaller
        let tenant: Tenant

        init() throws {
            files = Files()
            try files.add("a")
            var tenant = try RequestPipeline.tenant()
            tenant.issuer = BuiltInIssuer(
                url: "https://own.test",
                audience: "app",
                algorithm: .es256,
                keysDirectory: BuiltInCallerTests.directory
            )
            let pointers = try ["/access_token", "/refresh_token"].map { try #require(JSONPointer($0)) }
            let delivery = RefreshDelivery(cookies: [
                RefreshDelivery.Cookie(name: "at", value: pointers[0]),
                RefreshDelivery.Cookie(name: "rt", value: pointers[1]),
            ])
            self.tenant = tenant
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            issuers = OwnIssuers(
                [tenant],
                store: MemoryStore(),
                sealer: nil,
                revocations: NothingRevoked(),
                files: files,
                logger: logger,
                distribute: { _, _ in }
            )
            caller = BuiltInCaller(
                issuers: issuers,
                deliveries: [delivery],
                now: { BuiltInCallerTests.now },
                logger: logger
            )
        }

        func signIn(
            _ subject: String = "alice",
            boundTo binding: TokenBinding? = nil
        ) async throws -> (tokens: IssuedTokens, principal: Principal) {
            let book = try #require(issuers.services[0])
            let opening = SessionOpening(subject: subject, binding: binding)
            let tokens = try await book.start(opening, at: BuiltInCallerTests.now)
            return (tokens, try principal(of: tokens.accessToken))
        }

        func principal(of token: String) throws -> Principal {
            let keys = try KeyFileSource(kind: .directory, path: BuiltInCallerTests.directory, algorithms: [.es256])
                .load(from: files)
            let issuer = IssuerPolicy(issuer: "https://own.test", audiences: ["app"], algorithms: [.es256], keys: keys)
            return try TokenVerifier(VerificationPolicy(issuers: [issuer]))
                .verify(Array(token.utf8), at: BuiltInCallerTests.now)
        }

        func call(_ principal: Principal, refreshToken: String?) async -> RefreshCallResult {
            let credential = RefreshCredential(
                accessToken: [],
                principal: principal,
                refreshToken: refreshToken.map { Array($0.utf8) },
                host: []
            )
            return await caller.call(credential, tenant: 0)
        }
    }

    private struct NothingRevoked: RevocationChecks {
        func isRevoked(_ principal: Principal, tenant: String) async -> Bool { false }
        func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool { false }
        func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? { nil }

        func revoke(_ revocations: [Revocation]) async throws(StoreError) {}
    }

    private final class Files: FileReading {
        private let content = Mutex<[String: [UInt8]]>([:])

        func add(_ name: String) throws {
            let pem = try #require(try SigningKey.generate(.p256).privateKeyPEM)
            content.withLock { $0["\(BuiltInCallerTests.directory)/\(name).pem"] = Array(pem.utf8) }
        }

        func read(_ path: String) throws(FileReadingError) -> [UInt8] {
            guard let bytes = content.withLock({ $0[path] }) else { throw .notFound }
            return bytes
        }

        func list(_ directory: String) throws(FileReadingError) -> [String] {
            content.withLock { $0.keys.map { String($0.dropFirst(directory.count + 1)) } }
        }
    }

    private func trouble(_ result: RefreshCallResult) -> RefreshFailure? {
        if case .failed(let trouble) = result { trouble } else { nil }
    }

    @Test func refreshReturnsBothCookies() async throws {
        let service = try Desk()
        let (tokens, principal) = try await service.signIn()
        let result = await service.call(principal, refreshToken: tokens.refreshToken)
        guard case .tokens(let received) = result else { return #expect(Bool(false), "\(result)") }
        let renewed = try service.principal(of: String(decoding: received.accessToken, as: UTF8.self))
        #expect(renewed.sessionID == principal.sessionID)
        #expect(received.refreshToken.map { String(decoding: $0, as: UTF8.self) } != tokens.refreshToken)
        #expect(received.cookies.map(\.name) == ["at", "rt"])
        #expect(received.cookies.map(\.value) == [received.accessToken, received.refreshToken])
        #expect(received.cookies[0].expiresAt == renewed.expiresAt)
        #expect(received.cookies[1].expiresAt == Self.now + 30 * 86_400)
    }

    /// What the old token is bound to was proved with it: the new one is bound to the same, and of no use to others.
    @Test(arguments: [true, false])
    func newTokenHasTheBindingOfTheOldOne(bindsSession: Bool) async throws {
        let service = try Desk()
        let confirmation = Verification.Confirmation(keyThumbprint: SHA256.digest([1]))
        let binding = TokenBinding(confirmation, bindsSession: bindsSession)
        let (tokens, principal) = try await service.signIn(boundTo: binding)
        for refreshToken in [nil, tokens.refreshToken] {
            guard case .tokens(let received) = await service.call(principal, refreshToken: refreshToken) else {
                return #expect(Bool(false))
            }
            let renewed = try service.principal(of: String(decoding: received.accessToken, as: UTF8.self))
            #expect(Verification.Confirmation(renewed.claims) == confirmation)
        }
    }

    @Test func sessionIDIdentifiesTheSessionWithoutARefreshToken() async throws {
        let service = try Desk()
        let (_, principal) = try await service.signIn()
        guard case .tokens(let received) = await service.call(principal, refreshToken: nil) else {
            return #expect(Bool(false))
        }
        #expect(received.refreshToken == nil)
    }

    /// Otherwise a client with a stolen access token could end the session with an invented cookie.
    /// A session of another issuer may have the name of one of ours, and its subject.
    @Test func tokenOfAnotherIssuerRefreshesNothing() async throws {
        let desk = try Desk()
        let session = try await desk.signIn()
        let policy = try SampleTenant.tenant().authenticate.policy
        let token = try SampleTenant.token(["sub": "alice", "sid": .string(session.tokens.sessionID)])
        let other = try TokenVerifier(policy).verify(Array(token.utf8), at: SampleTenant.now)
        for refreshToken in [nil, session.tokens.refreshToken] {
            guard case .failed(.noRefreshToken) = await desk.call(other, refreshToken: refreshToken) else {
                Issue.record("a session was refreshed by another issuer's token")
                return
            }
        }
    }

    @Test func forgedRefreshTokenDoesNotEndTheSession() async throws {
        let service = try Desk()
        let (tokens, principal) = try await service.signIn()
        let (others, _) = try await service.signIn("alice")
        let real = try #require(tokens.refreshToken)
        let forged = real.dropLast(8) + "AAAAAAAA"
        for made in ["", "x", String(forged), others.refreshToken] {
            #expect(trouble(await service.call(principal, refreshToken: made)) == .noRefreshToken)
        }
        guard case .tokens = await service.call(principal, refreshToken: real) else { return #expect(Bool(false)) }
    }

    @Test func endedSessionIsRefused() async throws {
        let service = try Desk()
        let (tokens, principal) = try await service.signIn()
        await service.issuers.end(principal.sessionID, ofTenant: 0, at: Self.now)
        guard case .refused = await service.call(principal, refreshToken: tokens.refreshToken) else {
            return #expect(Bool(false))
        }
        guard case .refused = await service.call(principal, refreshToken: nil) else { return #expect(Bool(false)) }
    }

    @Test func addedKeySignsAfterItIsAnnounced() async throws {
        let service = try Desk()
        let (_, principal) = try await service.signIn()
        #expect(principal.keyID == "a")
        try service.files.add("b")
        let before = try await service.signIn().principal
        #expect(before.keyID == "a")
        await service.issuers.keysChanged(in: try #require(service.tenant.issuer?.keyFiles))
        let after = try await service.signIn().principal
        #expect(after.keyID == "b")
    }
}
