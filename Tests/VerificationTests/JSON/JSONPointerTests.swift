import TestSupport
import Testing
import Verification

@Suite struct JSONPointerTests {
    /// The document of RFC 6901 section 5.
    private static let document: JSONValue = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
    ]

    private func value(_ text: String, in document: JSONValue = Self.document) throws -> JSONValue? {
        try #require(JSONPointer(text)).value(in: document)
    }

    @Test(arguments: [
        ("/foo", ["bar", "baz"] as JSONValue), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
        ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
    ])
    func examplesOfRFC6901(text: String, expected: JSONValue) throws {
        #expect(try value(text) == expected)
    }

    @Test func emptyPointerIsTheWholeDocument() throws {
        #expect(try value("") == Self.document)
        #expect(try value("", in: nil) == JSONValue.null)
    }

    @Test(arguments: ["foo", "foo/bar", " /foo", "#/foo", "~0", "/~", "/a~", "/a~2b", "/~/0", "/~~0", "/a~\u{301}0"])
    func malformedPointerIsRefused(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test(arguments: [
        "/bar", "/foo/2", "/foo/-", "/foo/-1", "/foo/00", "/foo/01", "/foo/+1", "/foo/1e0", "/foo/", "/foo/ 1",
        "/foo/٠", "/foo/99999999999999999999", "/foo/0/0", "//", "/a/b", "/FOO", "/foo/0/",
    ])
    func missingLocationIsNil(text: String) throws {
        #expect(try value(text) == nil)
    }

    @Test func nullMemberIsFound() throws {
        #expect(try value("/a/b", in: ["a": ["b": nil]]) == JSONValue.null)
    }

    @Test func numbersAreMemberNamesToo() throws {
        #expect(try value("/01/-", in: ["01": ["-": true]]) == true)
    }

    /// `~01` is `~1`, never `/`.
    @Test func escapesAreDecodedOnce() throws {
        let document: JSONValue = ["~1": 1, "/": 2, "~0": 3, "": ["": 4]]
        #expect(try value("/~01", in: document) == 1)
        #expect(try value("/~1", in: document) == 2)
        #expect(try value("/~00", in: document) == 3)
        #expect(try value("//", in: document) == 4)
    }

    @Test func namesAreSplitAndComparedByteForByte() throws {
        // The mark makes one character with the slash before it, and with the letter.
        #expect(try value("/a/\u{301}b", in: ["a": ["\u{301}b": 1]]) == 1)
        #expect(try value("/\u{E9}", in: ["e\u{301}": 1]) == nil)
        #expect(JSONPointer("/\u{E9}") != JSONPointer("/e\u{301}"))
        #expect(Set([JSONPointer("/\u{E9}"), JSONPointer("/e\u{301}"), JSONPointer("/\u{E9}")]).count == 2)
    }

    @Test func textIsKept() {
        #expect(JSONPointer("/a~1b/0")?.text == "/a~1b/0")
    }

    @Test func everyNameHasAPointer() throws {
        var random = SplitMix64(seed: 6901)
        let alphabet = Array("ab~/01-é\u{301}\"\\ ")
        for _ in 0..<500 {
            let names = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                String(
                    (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in alphabet.randomElement(using: &random)
                    }
                )
            }
            let document = names.reversed().reduce(JSONValue.string("there")) { .object([$1: $0]) }
            let text = names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
            #expect(try value(text, in: document) == "there", "\(text)")
        }
    }
}
