import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Localization

struct AccountRecordTests {
    private static func record(_ random: inout SplitMix64) -> AccountRecord {
        func text(_ random: inout SplitMix64) -> String { Base64URL.encode(random.bytes(6)) }
        func maybe(_ random: inout SplitMix64) -> String? { random.next() % 2 == 0 ? text(&random) : nil }
        var links: [AccountRecord.Link] = []
        for _ in 0..<random.next() % 4 {
            let provider: SignIn.Provider = [.apple, .google, .named("acme")][Int(random.next() % 3)]
            let identity = Account.Identity(provider: provider, subject: text(&random))
            links.append(
                AccountRecord.Link(
                    identity: identity,
                    email: maybe(&random),
                    confirmedAt: Bool.random(using: &random) ? UnixTime(1_800_000_000.5) : nil,
                    transfer: maybe(&random).map { AppleTransfer(team: "TEAM", subject: $0) },
                    former: maybe(&random).map { AppleFormerLogin(subject: $0, transferSubject: "t") }
                )
            )
        }
        let account = Account(
            subject: text(&random),
            role: maybe(&random),
            email: maybe(&random),
            isEmailVerified: random.next() % 2 == 0,
            isPrivateEmail: random.next() % 2 == 0,
            name: maybe(&random),
            claims: ["a": .string(text(&random)), "b": [1, nil, ["c": true]]],
            createdAt: UnixTime(Double(random.next() % 1_000_000_000) + 0.25)
        )
        return AccountRecord(account, links: links)
    }

    @Test func recordRoundTrips() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<500 {
            let record = Self.record(&random)
            let read = try #require(AccountRecord(json: record.json))
            #expect(read.account == record.account)
            #expect(read.links.map(\.email) == record.links.map(\.email))
            #expect(read.json == record.json)
        }
    }

    @Test func invalidRecordIsRejected() throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<200 {
            let bytes = Self.record(&random).json
            #expect(AccountRecord(json: Array(bytes.dropLast(Int.random(in: 1...bytes.count, using: &random)))) == nil)
            guard var object = try JSONParser.parse(bytes).object else {
                Issue.record("no object")
                return
            }
            object["v"] = 2
            #expect(AccountRecord(json: JSONWriter.bytes(of: object)) == nil)
            object["v"] = 1
            object["identities"] = [["provider": "ac me", "sub": "1"]]
            #expect(AccountRecord(json: JSONWriter.bytes(of: object)) == nil)
        }
    }

    @Test func identitiesAreComparedByBytes() {
        var record = AccountRecord(Account(subject: "s", createdAt: 0))
        record.update(with: AccountFixture.apple("\u{E9}"), givenName: nil, at: AccountFixture.start)
        record.update(with: AccountFixture.apple("e\u{301}"), givenName: nil, at: AccountFixture.start)
        record.update(with: AccountFixture.apple("e\u{301}"), givenName: nil, at: AccountFixture.start)
        #expect(record.links.count == 2)
        record.leave(AccountFixture.apple("\u{E9}").key)
        #expect(record.account.identities.map { Array($0.subject.utf8) } == [Array("e\u{301}".utf8)])
    }

    @Test(arguments: ["", "@", "a@", "@b", "a b@c", "a\u{7F}@b", "a\n@b", String(repeating: "a", count: 319) + "@b"])
    func invalidEmailIsRejected(_ text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test(arguments: [("A@B.c", "a@b.c"), ("a+b@C", "a+b@c"), ("Ä@Z", "Ä@z"), ("[`{@z", "[`{@z")])
    func onlyASCIILettersAreLowercased(_ text: String, _ address: String) {
        #expect(EmailAddress(text)?.bytes == Array(address.utf8))
    }

    @Test(arguments: [("  Alice\u{0}\r\n ", "Alice"), ("A\u{9B}B", "AB"), ("Å Ö", "Å Ö"), ("\u{2003}x\u{A0}", "x")])
    func nameIsTrimmedAndHasNoControlCharacters(_ text: String, _ kept: String) {
        #expect(PersonName.kept(text) == kept)
    }

    @Test func longNameIsCutAtCharacterBoundary() {
        #expect(PersonName.kept(" \n\t") == nil)
        #expect(PersonName.kept(String(repeating: "é", count: 101)) == String(repeating: "é", count: 100))
        #expect(BoundedText.kept("aé", bytes: 2) == "a")
    }
}
