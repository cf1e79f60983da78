import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Bodies of exchanges.
struct ExchangeBodyTests {
    private static func request(_ body: [UInt8], _ contentType: String? = "application/json") -> EndpointRequest {
        EndpointRequest(
            endpoint: .appleExchange,
            method: "POST",
            authority: "chat.localtest",
            fields: EndpointRequest.Fields(contentType: contentType),
            body: body,
            now: 0
        )
    }

    private static func read(_ text: String, _ contentType: String? = "application/json") throws -> AppleBody {
        try AppleBody(request(Array(text.utf8), contentType))
    }

    @Test func everyMemberIsRead() throws {
        let body = try Self.read(
            #"{"identity_token":"t","nonce":"n","userIdentifier":"u","full_name":{"givenName":"A"},"email":"e"}"#
        )
        #expect(body.identityToken == "t")
        #expect(body.nonce == "n")
        #expect(body.userIdentifier == "u")
        #expect(body.names == [["givenName": "A"]])
    }

    @Test(arguments: [
        #"{"id_token":"t"}"#, #"{"identity_token":"t","id_token":"t"}"#, #"{"identity_token":"","id_token":"t"}"#,
        #"{"identity_token":null,"id_token":"t"}"#,
    ])
    func tokenHasTwoNames(_ text: String) throws {
        #expect(try Self.read(text).identityToken == "t")
    }

    @Test(arguments: [
        (#"{"identity_token":"a","id_token":"b"}"#, "differ"),
        (#"{"identity_token":7}"#, "identity_token has to be a string"),
        (#"{"id_token":["t"]}"#, "id_token has to be a string"), (#"{"nonce":{}}"#, "nonce has to be a string"),
        (#"{"userIdentifier":true}"#, "userIdentifier has to be a string"),
        (#"{"email":1}"#, "email has to be a string"), (#"{"nonce":"a","nonce":"b"}"#, "repeats"),
        (#"["identity_token"]"#, "object"), ("", "object"), ("identity_token=t", "object"), ("{", "object"),
    ])
    func invalidBodyIsRefusedWithReason(_ text: String, _ detail: String) throws {
        let refusal = try #require(throws: EndpointRefusal.self) { try Self.read(text) }
        #expect(refusal.code == .badRequest)
        #expect(refusal.status == 400)
        #expect(refusal.detail.contains(detail))
    }

    @Test(arguments: [
        "application/json", "Application/JSON; charset=utf-8", "application/json ;x", "application/vnd.app+json",
        "application/json;charset=\"UTF-8\"", "application/problem+json ; v=1; Charset=Utf-8", nil,
    ])
    func jsonMediaTypesAreAccepted(_ type: String?) throws {
        #expect(try Self.read("{}", type).identityToken == nil)
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data; a=application/json", "text/json",
        "application/jsonp", "application/json, text/plain", "+json",
    ])
    func otherMediaTypesAreRefused(_ type: String) throws {
        let refusal = try #require(throws: EndpointRefusal.self) { try Self.read("{}", type) }
        #expect(refusal.code == .badRequest)
    }

    @Test(arguments: [
        "application/json; charset=utf-16", "application/json;charset=iso-8859-1", "application/json; charset=",
        "application/json; charset=utf-8; charset=utf-7", "application/json; charset*=utf-8''utf-7",
        "application/json; x=\"; charset=utf-16\"", "application/json; charset =utf-16",
    ])
    func charsetOtherThanUTF8IsRefused(_ type: String) throws {
        let refusal = try #require(throws: EndpointRefusal.self) { try Self.read("{}", type) }
        #expect(refusal.code == .badRequest)
    }

    @Test(arguments: [
        "UserIdentifier", "useridentifier", "Identity_Token", "ID_TOKEN", "Nonce", "Email", "FULL_NAME", "Name",
        "u\u{17F}erIdentifier", "identity_to\u{212A}en",
    ])
    func memberDifferingOnlyInCaseIsRefused(_ name: String) throws {
        for value: JSONValue in ["x", nil, 1] {
            var object: JSONObject = ["identity_token": "t", "other": 1]
            object[name] = value
            let body = JSONWriter.bytes(of: object)
            let refusal = try #require(throws: EndpointRefusal.self) { try AppleBody(Self.request(body)) }
            #expect(refusal.code == .badRequest && refusal.detail.contains("only in case"))
        }
    }

    @Test func unknownMembersAreIgnored() throws {
        #expect(try Self.read(#"{"identity_token":"t","Device":"x","EMAILS":1,"n":2}"#).identityToken == "t")
    }
}

/// Stored records of exchanges.
struct ExchangeRecordTests {
    private static let record = TokenExchangeRecord(nonce: "n", sealedResponse: [1, 2, 3], at: 1_800_000_000.25)

    @Test(arguments: [record, TokenExchangeRecord(nonce: nil, sealedResponse: nil, at: 7)])
    func recordRoundTrips(_ record: TokenExchangeRecord) {
        #expect(TokenExchangeRecord(json: record.json) == record)
    }

    @Test(
        arguments: [
            (0, "n", true), (60, "n", true), (60.5, "n", false), (-60, "n", true), (-61, "n", false), (1, "m", false),
            (1, nil, false), (1, "", false),
        ] as [(Double, String?, Bool)]
    )
    func retryNeedsSameNonceWithinWindow(_ seconds: Double, _ nonce: String?, _ isAllowed: Bool) {
        #expect(Self.record.allowsRetry(nonce: nonce, at: 1_800_000_000.25 + seconds) == isAllowed)
    }

    @Test(arguments: [(-50, 119, 121), (600, 719, 721), (86_400, 86_519, 86_521)] as [(Double, Double, Double)])
    func recordOutlivesToken(_ tokenLife: Double, _ there: Double, _ gone: Double) async throws {
        let start = UnixTime(1_800_000_000.25)
        let now = Mutex(start)
        let store = MemoryStore(clock: { now.withLock { $0 } })
        let records = TokenExchangeRecords(store: store, tenant: "chat")
        let token = CheckedIDToken(
            identity: ProviderIdentity(provider: .apple, subject: "001"),
            signingInputSHA256: [1, 2, 3],
            expiresAt: start + tokenLife
        )
        #expect(try await records.add(Self.record, for: token, at: start))
        now.withLock { $0 = start + there }
        #expect(try await records.read(token) == Self.record)
        #expect(try await !records.add(Self.record, for: token, at: start + there))
        now.withLock { $0 = start + gone }
        #expect(try await records.read(token) == nil)
    }

    @Test func recordLifetimeIsBounded() async throws {
        let token = CheckedIDToken(
            identity: ProviderIdentity(provider: .apple, subject: "001"),
            signingInputSHA256: [1],
            expiresAt: 1e300
        )
        #expect(
            try await TokenExchangeRecords(store: MemoryStore.still, tenant: "chat").add(Self.record, for: token, at: 0)
        )
    }

    @Test func missingNonceDiffersFromEmptyNonce() {
        let record = TokenExchangeRecord(nonce: nil, sealedResponse: nil, at: 0)
        #expect(record.allowsRetry(nonce: nil, at: 1))
        #expect(!record.allowsRetry(nonce: "", at: 1))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"version":2,"nonce":"AA","first_seen_at":1}"#, #"{"version":1,"nonce":"AA"}"#,
        #"{"version":1,"nonce":"?","first_seen_at":1}"#, #"{"version":1,"nonce":"AA","first_seen_at":"1"}"#,
        #"{"version":1,"nonce":"AA","first_seen_at":1,"answer":1}"#,
        #"{"version":1,"nonce":"AA","first_seen_at":1,"answer":"?"}"#,
    ])
    func invalidRecordIsRejected(_ text: String) {
        #expect(TokenExchangeRecord(json: Array(text.utf8)) == nil)
    }

    @Test func mutatedRecordNeverTraps() {
        var random = SplitMix64(seed: 0xa99e)
        for _ in 0..<2000 {
            var json = Self.record.json
            for _ in 0..<3 { json[Int.random(in: 0..<json.count, using: &random)] = random.bytes(1)[0] }
            let read = TokenExchangeRecord(json: json)
            #expect(read == nil || read.flatMap { TokenExchangeRecord(json: $0.json) } == read)
        }
    }
}
