import Testing
import Verification

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONParsingError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    private func error(_ bytes: [UInt8]) -> JSONParsingError? {
        do throws(JSONParsingError) {
            _ = try JSONParser.parse(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func everyKindOfValueIsRead() throws {
        let text = #" { "a" : [ 1 , -2.5e1 , true , false , null , "x\n\u00e9\ud83d\ude00" ] , "b" : {} , "c":[]} "#
        let expected: JSONValue = [
            "a": [1, .number(try #require(JSONNumber(-25.0))), true, false, nil, "x\n\u{E9}\u{1F600}"], "b": [:],
            "c": [],
        ]
        let value = try parse(text)
        #expect(value.object?["a"]?.array?[1].double == -25)
        #expect(value.object?["a"]?.array?[5] == expected.object?["a"]?.array?[5])
        #expect(value.object?.members.map(\.name) == ["a", "b", "c"])
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}",
        "{\"a\":1}}", "1 2", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "NaN", "Infinity", "tru", "nulll",
        "True", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"a\nb\"", "\"\t\"", "[1]//", "/**/1",
        "\u{FEFF}1", "-01", "1_0",
    ])
    func malformedJSONIsRefused(text: String) {
        #expect(throws: JSONParsingError.self) { try parse(text) }
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"[{"x":{"a":1,"\u0061":2}}]"#, #"{"b":[{"":0,"":0}]}"#,
    ])
    func duplicateMembersAreRefusedAtAnyDepth(text: String) {
        #expect(error(Array(text.utf8)) == .duplicateMember)
    }

    @Test func duplicatesAreFoundInLargeObjects() {
        var members = (0..<3_000).map { "\"m\($0)\":0" }
        let good = "{" + members.joined(separator: ",") + "}"
        #expect(error(Array(good.utf8)) == nil)
        members.append("\"m17\":1")
        #expect(error(Array(("{" + members.joined(separator: ",") + "}").utf8)) == .duplicateMember)
    }

    @Test func canonicallyEquivalentNamesAreDifferent() throws {
        let value = try parse("{\"K\":1,\"\u{212A}\":2}")
        #expect(value.object?["K"]?.double == 1)
        #expect(value.object?["\u{212A}"]?.double == 2)
    }

    @Test func nestingIsBounded() {
        let deepest = JSONParser.maximumDepth
        let good = String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)
        #expect(error(Array(good.utf8)) == nil)
        #expect(error(Array("[\(good)]".utf8)) == .tooDeep)
        #expect(error([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == .tooDeep)
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80]])
    func stringsThatAreNotUTF8AreRefused(bytes: [UInt8]) {
        let quote = [UInt8(ascii: "\"")]
        #expect(error(quote + bytes + quote) == .notUnicode)
        #expect(error(quote + Array("\\n".utf8) + bytes + quote) == .notUnicode)
    }

    @Test(arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, #""\udc00\ud800""#])
    func halfSurrogatesAreRefused(text: String) {
        #expect(error(Array(text.utf8)) == .notUnicode)
    }

    @Test(arguments: ["1e400", "-1e400", "1" + String(repeating: "0", count: 400)])
    func numbersBeyondADoubleAreRefused(text: String) {
        #expect(error(Array(text.utf8)) == .numberOutOfRange)
    }

    @Test(arguments: [
        ("0", 0.0), ("-0", 0), ("1800000000", 1_800_000_000), ("1.5", 1.5), ("-12E-1", -1.2),
        ("123456789012345678", 123_456_789_012_345_680),
    ])
    func numbersKeepTheirLiteral(text: String, value: Double) throws {
        guard case .number(let number) = try parse(text) else {
            Issue.record("not a number")
            return
        }
        #expect(number.literal == text)
        #expect(number.value == value)
    }
}
