import TestSupport
import Testing
import Verification

@testable import IdentityProvider

struct GivenNameTests {
    @Test(
        arguments: [
            ("Ann Ek", "Ann Ek"), ("  Ann \n", "Ann"), ("\u{3000}愛\u{3000}", "愛"),
            (["firstName": "Ann", "lastName": "Ek"], "Ann Ek"), (["givenName": "Ann", "familyName": "Ek"], "Ann Ek"),
            (["firstName": " Ann "], "Ann"), (["firstName": "", "lastName": "Ek"], "Ek"),
            (["givenName": nil, "familyName": "Ek", "nickname": nil], "Ek"),
            (["firstName": nil, "lastName": nil, "givenName": "Ann"], "Ann"),
            (["firstName": 1, "lastName": "Ek"], "Ek"),
            (.string(String(repeating: "a", count: 200)), String(repeating: "a", count: 200)),
        ] as [(JSONValue, String)]
    )
    func nameIsStringOrParts(json: JSONValue, name: String) {
        #expect(GivenName.read(json) == name)
    }

    @Test(
        arguments: [
            nil, "", "   ", "a\nb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", 1, true, [], ["Ann"], [:] as JSONValue,
            ["firstName": ""],
            ["name": "Ann"], ["firstName": "a\rb"], .string(String(repeating: "a", count: 201)),
            .string(String(repeating: "愛", count: 67)),
            [
                "firstName": .string(String(repeating: "a", count: 150)),
                "lastName": .string(String(repeating: "b", count: 50)),
            ],
        ] as [JSONValue]
    )
    func invalidNameIsRejected(json: JSONValue) {
        #expect(GivenName.read(json) == nil)
        #expect(GivenName.read(nil) == nil)
    }

    @Test func nameIsReadFromAppleUserField() {
        let field = #"{"name":{"firstName":"Ann","lastName":"Ek"},"email":"ann@example.org"}"#
        #expect(AppleUserField.name(in: field) == "Ann Ek")
        #expect(AppleUserField.name(in: #"{"email":"ann@example.org"}"#) == nil)
        #expect(AppleUserField.name(in: field + "x") == nil)
        #expect(AppleUserField.name(in: #"{"name":"A","name":"B"}"#) == nil)
        #expect(AppleUserField.name(in: "") == nil)
        #expect(AppleUserField.name(in: #""Ann""#) == nil)
    }

    @Test func tooLongFieldIsIgnored() {
        let field = #"{"name":"Ann","more":""#
        let filling = 4096 - field.utf8.count - 2
        #expect(AppleUserField.name(in: field + String(repeating: "a", count: filling) + "\"}") == "Ann")
        #expect(AppleUserField.name(in: field + String(repeating: "a", count: filling + 1) + "\"}") == nil)
    }

    @Test func mutatedFieldNeverTraps() {
        var random = SplitMix64(seed: 0x0075_7365)
        let original = Array(#"{"name":{"firstName":"Ann","lastName":"Ek"},"email":"ann@example.org"}"#.utf8)
        var read = 0
        for _ in 0..<5000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
                }
            }
            guard let name = AppleUserField.name(in: String(decoding: bytes, as: UTF8.self)) else { continue }
            read += 1
            #expect((1...200).contains(name.utf8.count))
            #expect(!name.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        #expect((1..<5000).contains(read))
    }
}
