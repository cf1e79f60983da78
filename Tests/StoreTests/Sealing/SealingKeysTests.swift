import Foundation
import Testing

@testable import Store

@Suite struct SealingKeysTests {
    static func text(_ byte: UInt8, count: Int = 32) -> String {
        Data(repeating: byte, count: count).base64EncodedString()
    }

    @Test func aKeyIs32BytesInBase64() throws {
        #expect(try SealingKeys(Self.text(1)).others.isEmpty)
        let keys = try SealingKeys(" \(Self.text(1)) ,\n\(Self.text(2)),\(Self.text(3))\n")
        #expect(keys.others.count == 2)
        #expect(try keys.first.id == SealingKeys(Self.text(1)).first.id)
        #expect(try keys.others.map(\.id) == [SealingKeys(Self.text(2)).first.id, SealingKeys(Self.text(3)).first.id])
    }

    @Test(
        arguments: [
            ("", "GATEHOUSE_KEY is empty"), ("  ", "GATEHOUSE_KEY is empty"),
            (text(7, count: 31), "has 31 bytes"), (text(7, count: 33), "has 33 bytes"),
            ("\(text(7)),", "key 2 of 2 is empty"), ("\(text(7)),abc", "key 2 of 2 is not base64"),
            ("\(text(7)),\(text(7, count: 16))", "key 2 of 2 has 16 bytes"),
            (String(repeating: "7", count: 64), "has 48 bytes"), ("nonsense!", "is not base64"),
            ("-_" + text(7).dropFirst(2), "is base64url"),
        ]
    )
    func aMistakeIsNamedAndTheKeyIsNotShown(text: String, expected: String) throws {
        let error = try #require(throws: StoreError.self) { _ = try SealingKeys(text) }
        guard case .unusable(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains(expected))
        #expect(reason.contains("openssl rand -base64 32"))
        for word in text.split(separator: ",") where word.count > 8 { #expect(!reason.contains(word)) }
    }

    @Test func keysShowInNoDescription() throws {
        let keys = try SealingKeys(Self.text(65))
        for text in [
            "\(keys)", String(reflecting: keys), String(describing: Mirror(reflecting: keys).children.map(\.value)),
        ] {
            #expect(!text.contains("65") && !text.contains("QUFB"))
        }
    }
}
