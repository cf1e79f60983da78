import Events
import Logging
import Store
import Synchronization
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// What others are told of sessions.
@Suite struct SessionEventTests {
    /// Records what is sent, and takes it.
    private final class Receiver: OutboxTransport {
        let requests = Mutex<[OutboxRequest]>([])

        func send(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxResponse {
            requests.withLock { $0.append(request) }
            return OutboxResponse(status: 200)
        }
    }

    private struct Setup {
        static let start = UnixTime(1_800_000_000)

        let receiver = Receiver()
        /// Of the outbox alone, so that it can fail by itself.
        let outboxStore = FailingStore()
        let outbox: EventOutbox
        let sessions: SessionService

        init() {
            let store = MemoryStore.still
            var rules = IssuerRules.chat
            rules.clients = ["web", "silent"]
            rules.clientsToldOfLogouts["web"] = BackChannelLogout(uri: "https://web.test/bcl", needsSession: true)
            let keys = SessionTestKeys(algorithm: rules.algorithm)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            outbox = EventOutbox(store: outboxStore, transport: receiver, logger: logger) { Self.start }
            let settings = EventSettings(
                url: "https://hooks.test/",
                secrets: [Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")],
                types: EventType.allCases
            )
            let issuer = LogoutIssuer(url: rules.url, keys: keys, clients: rules.clientsToldOfLogouts)
            outbox.adopt(settings, issuers: [rules.tenant: issuer])
            sessions = SessionService(
                rules,
                store: store,
                keys: keys,
                revocations: StoredRevocations(store: store),
                outbox: outbox,
                logger: logger
            )
        }

        func signIn(_ client: String? = nil, _ subject: String = "alice") async throws -> IssuedTokens {
            let opening = SessionOpening(subject: subject, clientID: client, provider: "apple")
            return try await sessions.start(opening, at: Self.start)
        }

        /// The events so far, as `TYPE SID REASON`, by session.
        func events() async throws -> [String] {
            await outbox.work()
            return try receiver.requests.withLock { $0 }.filter { $0.url == "https://hooks.test/" }.map { request in
                let body = try #require(JSONParser.parse(request.body).object)
                #expect(body["subject"] == "alice")
                return [body["type"], body["sid"], body["reason"]].compactMap { $0?.string }.joined(separator: " ")
            }.sorted()
        }

        /// The `sid` of each logout token.
        func logouts() async throws -> [String] {
            await outbox.work()
            return try receiver.requests.withLock { $0 }.filter { $0.url == "https://web.test/bcl" }.map { request in
                let token = String(decoding: request.body.dropFirst("logout_token=".utf8.count), as: UTF8.self)
                let parts = token.split(separator: ".").map(String.init)
                let header = try #require(Base64URL.decode(parts[0]).flatMap { try? JSONParser.parse($0).object })
                #expect(header["typ"] == "logout+jwt")
                let claims = try #require(Base64URL.decode(parts[1]).flatMap { try? JSONParser.parse($0).object })
                #expect(claims["nonce"] == nil)
                return try #require(claims["sid"]?.string)
            }.sorted()
        }
    }

    @Test func signInRefreshAndSignOutAreTold() async throws {
        let setup = Setup()
        let tokens = try await setup.signIn()
        _ = try await setup.sessions.refresh(try tokens.refresh, at: Setup.start + 10)
        try await setup.sessions.end(sessionID: tokens.sessionID, at: Setup.start + 20)
        let id = tokens.sessionID
        #expect(try await setup.events() == ["refreshed \(id)", "signed_in \(id)", "signed_out \(id) signed out"])
        #expect(try await setup.logouts().isEmpty)
    }

    @Test func repeatedRefreshIsToldOnce() async throws {
        let setup = Setup()
        let tokens = try await setup.signIn()
        for _ in 0..<3 { _ = try await setup.sessions.refresh(try tokens.refresh, at: Setup.start + 10) }
        #expect(try await setup.events().filter { $0.hasPrefix("refreshed") }.count == 1)
    }

    @Test func refreshTokenThatIsUsedAgainEndsTheSessionForItsClientToo() async throws {
        let setup = Setup()
        let tokens = try await setup.signIn("web")
        _ = try await setup.sessions.refresh(try tokens.refresh, client: .client("web"), at: Setup.start + 10)
        _ = try await refusal {
            try await setup.sessions.refresh(try tokens.refresh, client: .client("web"), at: Setup.start + 100)
        }
        let id = tokens.sessionID
        #expect(try await setup.events().contains("revoked \(id) refresh token used again"))
        #expect(try await setup.logouts() == [id])
    }

    @Test func endOfAllSessionsIsToldOfEach() async throws {
        let setup = Setup()
        let (first, second) = (try await setup.signIn("web"), try await setup.signIn())
        try await setup.sessions.endAll(
            ofSubject: "alice",
            before: Setup.start + 60,
            at: Setup.start + 60,
            reason: "ended by an administrator"
        )
        let ended = try await setup.events().filter { $0.hasPrefix("revoked") }
        #expect(ended == [first, second].map { "revoked \($0.sessionID) ended by an administrator" }.sorted())
        #expect(try await setup.logouts() == [first.sessionID])
    }

    @Test func sessionThatHasEndedIsToldOnce() async throws {
        let setup = Setup()
        let tokens = try await setup.signIn("web")
        for _ in 0..<2 { try await setup.sessions.end(sessionID: tokens.sessionID, at: Setup.start) }
        #expect(try await setup.events().filter { $0.hasPrefix("signed_out") }.count == 1)
        #expect(try await setup.logouts() == [tokens.sessionID])
    }

    @Test func revocationThatLeavesTheSessionIsToldToo() async throws {
        let setup = Setup()
        let tokens = try await setup.signIn("web")
        let sessions = setup.sessions
        let (start, later) = (Setup.start, Setup.start + 1)
        #expect(try await !sessions.reportEnds(ofSubject: "alice", before: start, reason: "x", at: start))
        #expect(try await sessions.reportEnds(ofSubject: "alice", before: later, reason: "x", at: start))
        #expect(try await !sessions.reportEnd(ofSession: "none", as: .revoked, reason: "x", at: start))
        #expect(try await setup.events().contains("revoked \(tokens.sessionID) x"))
        #expect(try await setup.logouts() == [tokens.sessionID])
    }

    /// Whoever ends a session and is told that it failed finds it again, and then all are told.
    @Test func sessionGoesOnWhereItsEndCannotBeTold() async throws {
        let setup = Setup()
        let (first, second) = (try await setup.signIn("web"), try await setup.signIn("web"))
        let sessions = setup.sessions
        setup.outboxStore.cut()
        await #expect(throws: IssuingError.self) { try await sessions.end(sessionID: first.sessionID, at: Setup.start) }
        await #expect(throws: IssuingError.self) {
            try await sessions.endAll(
                ofSubject: "alice",
                before: Setup.start + 60,
                at: Setup.start + 60,
                reason: "the account was deleted"
            )
        }
        await #expect(throws: StoreError.self) {
            _ = try await sessions.reportEnd(ofSession: first.sessionID, as: .revoked, reason: "x", at: Setup.start)
        }
        #expect(try await sessions.session(first.sessionID, at: Setup.start) != nil)
        setup.outboxStore.heal()
        try await sessions.end(sessionID: first.sessionID, at: Setup.start)
        try await sessions.endAll(
            ofSubject: "alice",
            before: Setup.start + 60,
            at: Setup.start + 60,
            reason: "the account was deleted"
        )
        let told = try await setup.events().filter { !$0.hasPrefix("signed_in") }
        let expected = [
            "revoked \(second.sessionID) the account was deleted", "signed_out \(first.sessionID) signed out",
        ]
        #expect(told == expected)
        #expect(try await setup.logouts() == [first.sessionID, second.sessionID].sorted())
    }

    @Test func oldestOfTooManySessionsEndsOnlyWhenItsClientCanBeTold() async throws {
        let setup = Setup()
        var ids: [String] = []
        for _ in 0..<SessionList.most { ids.append(try await setup.signIn("web").sessionID) }
        setup.outboxStore.cut()
        await #expect(throws: IssuingError.self) { try await setup.signIn("web") }
        setup.outboxStore.heal()
        _ = try await setup.signIn("web")
        let gone = ids.count + 1 - SessionList.kept
        #expect(Set(try await setup.logouts()) == Set(ids.prefix(gone)))
        #expect(try await setup.sessions.session(ids[0], at: Setup.start) == nil)
    }

    /// A reload has added the client elsewhere: an instance that knows it will tell it.
    @Test func logoutOfAnUnknownClientIsWrittenAndOfAKnownOneWithoutAddressIsNot() async throws {
        let setup = Setup()
        for client in ["unknown", "silent"] {
            let tokens = try await setup.signIn(client)
            try await setup.sessions.end(sessionID: tokens.sessionID, at: Setup.start)
        }
        let written = try await setup.outboxStore.entries(
            of: StoreCollection("outbox-logouts-due"),
            after: nil,
            limit: 9
        )
        #expect(
            written.map { String(decoding: $0.value, as: UTF8.self) } == [
                "01800000000 \(IssuerRules.chat.tenant) unknown"
            ]
        )
    }

    @Test func endThatWasToldBeforeIsNotToldAgain() async throws {
        let setup = Setup()
        let tokens = try await setup.signIn("web")
        let id = tokens.sessionID
        try await setup.sessions.end(sessionID: id, at: Setup.start, reason: "x", as: .signedOut, isTold: true)
        #expect(try await setup.logouts().isEmpty)
        #expect(try await setup.sessions.session(id, at: Setup.start) == nil)
    }
}
