import Testing
import Time
import Verification

@testable import Signals

struct LogoutTokenTests {
    private static func read(_ changes: KeyValuePairs<String, JSONValue> = [:]) throws -> LogoutToken {
        let claims = SignalSample.claims(changes, of: .logout)
        let principal = try SignalSample.principal(claims, type: "logout+jwt", as: .logout)
        return try LogoutToken(principal, at: SignalSample.now)
    }

    @Test func tokenNamesSubjectAndSession() throws {
        let token = try Self.read()
        #expect(token.subject == "alice")
        #expect(token.sessionID == "s1")
        #expect(token.tokenID == "j1")
    }

    private static let bad: [(String, JSONValue, SignalProblem)] = [
        ("nonce", JSONValue.string("n"), SignalProblem.nonce),
        ("jti", .null, .missing("jti")),
        ("jti", "", .missing("jti")),
        ("iat", .null, .missing("iat")),
        ("exp", .null, .missing("exp")),
        ("events", .null, .missing("events")),
        ("events", [], .missing("events")),
        ("events", [:], .notALogout),
        ("events", ["http://schemas.openid.net/event/backchannel-logout": true], .notALogout),
        ("events", ["http://schemas.openid.net/event/backchannel-logout/": [:]], .notALogout),
        ("sub", "", .unusable("sub")),
        ("iat", 1_799_900_000, .tooOld),
    ]

    @Test(arguments: bad)
    func tokenWithoutWhatALogoutNeedsIsRefused(_ claim: String, _ value: JSONValue, _ problem: SignalProblem) throws {
        #expect(throws: problem) { try Self.read([claim: value]) }
    }

    @Test func nobodyIsLoggedOutWithoutSubjectAndSession() throws {
        #expect(throws: SignalProblem.nobody) { try Self.read(["sub": .null, "sid": .null]) }
        #expect(try Self.read(["sub": .null]).sessionID == "s1")
        #expect(try Self.read(["sid": .null]).subject == "alice")
    }

    @Test func longNamesAreRefused() throws {
        let long = JSONValue.string(String(repeating: "x", count: 1025))
        for claim in ["sub", "sid", "jti"] {
            #expect(throws: SignalProblem.unusable(claim)) { try Self.read([claim: long]) }
        }
    }

    @Test func subjectAndSessionAreFoundWhereTheIssuersTokensHaveThem() throws {
        let subject = try #require(ClaimPlace("/oid"))
        let mapping = ClaimMapping([.subject: [subject], .session: [try #require(ClaimPlace("session_id"))]])
        let claims = SignalSample.claims(["oid": "o1"], of: .logout)
        let principal = try SignalSample.principal(claims, as: .logout)
        let token = try LogoutToken(principal, mapping: mapping, at: SignalSample.now)
        #expect(token.subject == "o1")
        // There is no session_id.
        #expect(token.sessionID == "s1")
    }

    private static let types: [(String, TokenPurpose, Bool)] = [
        ("logout+jwt", .logout, true), ("application/logout+jwt", .logout, true), ("JWT", .logout, true),
        ("secevent+jwt", .logout, false), ("at+jwt", .logout, false), ("dpop+jwt", .logout, false),
        ("secevent+jwt", .securityEvent, true), ("JWT", .securityEvent, true), ("logout+jwt", .securityEvent, false),
        ("at+jwt", .securityEvent, false), ("logout+jwt", .access, false), ("secevent+jwt", .access, false),
    ]

    @Test(arguments: types)
    func tokenOfAnotherTypeIsRefused(_ type: String, _ purpose: TokenPurpose, _ isGood: Bool) throws {
        let claims = SignalSample.claims([:], of: .logout)
        let principal = try? SignalSample.principal(claims, type: type, as: purpose)
        #expect((principal != nil) == isGood)
    }
}
