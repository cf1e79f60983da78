import Testing

@testable import Tenants

struct SecretTests {
    static let canary = "canary-5d1c"

    @Test func printingASecretNeverShowsIt() {
        let secret = Secret(Self.canary)
        let settings = AdminSettings(address: HostPort(host: "127.0.0.1", port: 1), token: secret)
        var dumped = ""
        dump(settings, to: &dumped)
        var shown = [dumped, "\(secret)", String(describing: secret), String(reflecting: secret)]
        shown += ["\(settings)", String(reflecting: [secret]), "\(Optional(secret) as Any)"]
        shown += Mirror(reflecting: secret).children.map { "\($0.value)" }
        for text in shown {
            #expect(!text.contains(Self.canary))
            // The bytes as a list of numbers.
            #expect(!text.contains("99, 97, 110"))
        }
        #expect("\(secret)" == "<redacted>")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func secretsAreEqualByContent() {
        #expect(Secret("abc") == Secret([0x61, 0x62, 0x63]))
        #expect(Secret("abc") != Secret("abd"))
        #expect(Secret("abc") != Secret("xbc"))
        #expect(Secret("abc") != Secret("abcd"))
        #expect(Secret("") == Secret([]))
    }

    @Test func contentIsPassedToAClosure() {
        #expect(Secret("abc").withBytes { $0.count } == 3)
        #expect(Secret("abc").bytes == Array("abc".utf8))
        #expect(Secret("").isEmpty)
    }
}
