import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct RevocationNoteTests {
    private func read(_ json: [UInt8]) -> RevocationNote? { RevocationNote(json: json.span) }

    private func text(_ generator: inout SplitMix64) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "/", "{", ",", "é", "\u{1F512}", " ",
        ]
        return String(
            String.UnicodeScalarView((0..<generator.next() % 12).map { _ in scalars[Int(generator.next() % 12)] })
        )
    }

    @Test func anyTextRoundTripsAndIsValidJSON() throws {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<2000 {
            let note = RevocationNote(
                kind: text(&generator),
                id: generator.next() % 2 == 0 ? nil : text(&generator),
                issuer: generator.next() % 2 == 0 ? nil : text(&generator),
                reason: generator.next() % 2 == 0 ? nil : text(&generator)
            )
            #expect(read(note.json) == note)
            #expect(try JSONDecoder().decode(RevocationNote.self, from: Data(note.json)) == note)
            #expect(!note.json.contains(UInt8(ascii: "\n")))
        }
    }

    @Test func equivalentJSONIsRead() {
        let expected = RevocationNote(kind: "jti", id: "a/b")
        for json in [
            #"{"kind":"jti","id":"a/b"}"#, #"{ "id" : "a\/b", "kind": "\u006ati" }"#,
            #"{"kind":"jti","id":"a/b","more":[1,{}]}"#, #"{"kind":"jti","id":"a/b","issuer":null}"#,
        ] {
            #expect(read(Array(json.utf8)) == expected, "\(json)")
        }
    }

    @Test func invalidNotesAreRejected() {
        let note = RevocationNote(kind: "jti", id: "a", issuer: "b", reason: "c").json
        for count in note.indices { #expect(read(Array(note.prefix(count))) == nil) }
        for json in ["", "{}", "[]", "null", #"{"id":"a"}"#, #"{"kind":1}"#, #"{"kind":"a"}}"#, #"{"kind":"a",}x"#] {
            #expect(read(Array(json.utf8)) == nil, "\(json)")
        }
        #expect(read(Array(#"{"kind":""#.utf8) + [0xff] + Array(#""}"#.utf8)) == nil)
    }
}
