import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

struct IssuerSessionTests {
    private func start(
        _ rules: IssuerRules = .clans,
        claims: JSONObject = [:],
        device: String? = nil
    ) -> (session: IssuerSession, refreshToken: RefreshToken) {
        var opening = SessionOpening(
            subject: "a",
            claims: claims,
            scopes: ["openid", "email"],
            clientID: "app",
            device: device,
            provider: "apple"
        )
        opening.beganInBrowser = device != nil
        return IssuerSession.start(opening, rules, at: 1000)
    }

    private func read(_ json: [UInt8]) -> IssuerSession? { IssuerSession.read(json)?.session }

    @Test func sessionRoundTrips() throws {
        var (session, token) = start(claims: ["email": "ä@example.org", "roles": ["x"], "n": 1], device: "iPhone")
        #expect(read(session.json) == session && session.beganInBrowser)
        _ = try session.rotate(token, nil, .clans, at: 1010.125)
        #expect(read(session.json) == session)
        #expect(session.family.rotations.count == 1)
    }

    @Test func invalidRecordIsRejected() throws {
        let json = start().session.json
        var random = SplitMix64(seed: 11)
        for count in 0..<json.count { #expect(read(Array(json.prefix(count))) == nil) }
        for _ in 0..<3000 {
            var changed = json
            changed[Int.random(in: 0..<json.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            // Any session that is read round-trips.
            if let session = read(changed) { #expect(read(session.json) == session) }
        }
        for name in [
            "v", "sid", "sub", "claims", "scopes", "created", "used", "expires", "key", "current", "rotations",
        ] {
            var object = try #require(JSONParser.parse(json).object)
            object[name] = nil
            #expect(read(JSONWriter.bytes(of: object)) == nil, "\(name)")
        }
    }

    /// Times are converted to integers.
    @Test(arguments: ["created", "used", "expires", "at"])
    func timeOutOfRangeIsRejected(_ name: String) throws {
        var (session, token) = start()
        _ = try session.rotate(token, nil, .clans, at: 1010)
        let object = try #require(JSONParser.parse(session.json).object)
        for (time, isRead) in [(1e300, false), (-1, false), (1.1e11, false), (1e11, true), (0, true)] {
            var changed = object
            let value = try JSONValue.number(#require(JSONNumber(time)))
            if name == "at" {
                var rotation = try #require(object["rotations"]?.array?.first?.object)
                rotation[name] = value
                changed["rotations"] = [.object(rotation)]
            } else {
                changed[name] = value
            }
            let read = read(JSONWriter.bytes(of: changed))
            #expect((read != nil) == isRead, "\(time)")
            guard let read else { continue }
            _ = AccessTokenClaims.make(read, scopes: read.scopes, boundTo: nil, .clans, at: 1000)
        }
    }

    @Test func recordHasNoTokens() throws {
        var (session, token) = start()
        let successor = try session.rotate(token, nil, .clans, at: 1010)
        let record = String(decoding: session.json, as: UTF8.self)
        for hidden in [token, successor] {
            #expect(!record.contains(hidden.text))
            #expect(!record.contains(Base64URL.encode(Array(hidden.bytes[16..<48]))))
        }
    }

    @Test func useExtendsSessionUpToMaximum() {
        let day = 86_400.0
        var session = start().session
        #expect(session.expiresAt == UnixTime(1000 + day))
        #expect(session.isLive(at: 999 + day))
        #expect(!session.isLive(at: 1000 + day))
        session.use(.clans, at: 1000 + day / 2)
        #expect(session.expiresAt == UnixTime(1000 + 1.5 * day))
        session.use(.clans, at: 1000 + day / 4)
        #expect(session.expiresAt == UnixTime(1000 + 1.5 * day))
        #expect(session.lastUsedAt == UnixTime(1000 + day / 2))
        for hour in stride(from: 12.0, to: 72, by: 12) { session.use(.clans, at: 1000 + hour * 3600) }
        #expect(session.expiresAt == UnixTime(1000 + 3 * day))
    }

    @Test func reservedClaimsAreDropped() {
        let claims: JSONObject = [
            "iss": "x", "sub": "x", "aud": "x", "exp": 1, "nbf": 1, "iat": 1, "jti": "x", "sid": "x", "client_id": "x",
            "scope": "x", "auth_time": 1, "nonce": "x", "at_hash": "x", "azp": "x", "role": "admin",
        ]
        let session = start(claims: claims).session
        #expect(session.claims == ["role": "admin"])
        let made = AccessTokenClaims.make(session, scopes: session.scopes, boundTo: nil, .clans, at: 1000)
        #expect(made["sub"] == "a" && made["client_id"] == "app" && made["role"] == "admin" && made["exp"] == 4600)
        #expect(made["scope"] == "openid email" && made["auth_time"] == 1000 && made["nonce"] == nil)
    }

    @Test func deviceIsShortenedWithoutControlCharacters() throws {
        let device = try #require(start(device: "a\r\n\u{85}b" + String(repeating: "ß", count: 300)).session.device)
        #expect(device.hasPrefix("abß"))
        #expect(device.utf8.count == 256)
        #expect(try #require(start(device: "a" + String(repeating: "ß", count: 300)).session.device).utf8.count == 255)
    }

    @Test func descriptionShowsOnlySessionID() {
        let session = start(claims: ["email": "alice@example.org"]).session
        var dumped = ""
        dump([session], to: &dumped)
        dump(session.family, to: &dumped)
        for text in ["\(session)", String(reflecting: session), dumped] {
            #expect(!text.contains("alice"))
            #expect(!text.contains("\(session.family.key[0]), \(session.family.key[1])"))
        }
    }

    @Test func rulesComeFromIssuer() {
        let issuer = BuiltInIssuer(
            url: "https://chat.example",
            audience: "chat-api",
            algorithm: .es256,
            access: .seconds(1800),
            id: .seconds(600)
        )
        #expect(IssuerRules(issuer, tenant: "chat").idLifetime == .seconds(600))
        var rules = IssuerRules.chat
        (rules.idLifetime, rules.singleSignOn) = (.seconds(600), .seconds(43_200))
        #expect(IssuerRules(issuer, tenant: "chat") == rules)
        #expect(IssuerRules.chat.longestSession == .seconds(365 * 86_400))
    }

    @Test func longestSessionIsAtLeastRefreshLifetime() {
        let rules = IssuerRules(
            tenant: "t",
            url: "u",
            audience: "a",
            algorithm: .es256,
            access: .seconds(1),
            refresh: .seconds(100),
            longestSession: .seconds(10)
        )
        #expect(rules.longestSession == .seconds(100))
    }
}
