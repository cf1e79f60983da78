import TestSupport
import Testing
import Verification

@Suite struct JSONFuzzTests {
    @Test func writtenValuesAreReadBack() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<500 {
            let value = randomValue(&random, depth: 4)
            #expect(try JSONParser.parse(JSONWriter.bytes(of: value)) == value)
        }
    }

    @Test func writingIsStable() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<200 {
            let text = JSONWriter.bytes(of: randomValue(&random, depth: 4), order: .sorted)
            #expect(JSONWriter.bytes(of: try JSONParser.parse(text), order: .sorted) == text)
        }
    }

    @Test func mutatedTextNeverCrashesAndIsWrittenBack() throws {
        var random = SplitMix64(seed: 6)
        var parsed = 0
        for _ in 0..<3_000 {
            var bytes = JSONWriter.bytes(of: randomValue(&random, depth: 3))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: if bytes.count > 1 { bytes.remove(at: place) }
                }
            }
            guard let value = try? JSONParser.parse(bytes) else { continue }
            parsed += 1
            #expect(try JSONParser.parse(JSONWriter.bytes(of: value)) == value)
        }
        #expect(parsed > 0)
    }

    @Test func repeatedMemberIsFoundAnywhere() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            let inner = #"{"x":1,"y":[],"x":2}"#
            let text = (0..<Int.random(in: 0...20, using: &random)).reduce(inner) { text, _ in
                Bool.random(using: &random) ? "[0,\(text)]" : "{\"k\":\(text)}"
            }
            #expect(throws: JSONParsingError.duplicateMember) { try JSONParser.parse(Array(text.utf8)) }
        }
    }

    private func randomValue(_ random: inout SplitMix64, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .number(JSONNumber(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)))
        case 3: return JSONNumber(Double.random(in: -1e9...1e9, using: &random)).map(JSONValue.number) ?? .null
        case 4: return .string(randomText(&random))
        case 5:
            return .array(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in randomValue(&random, depth: depth - 1) }
            )
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                object[randomText(&random)] = randomValue(&random, depth: depth - 1)
            }
            return .object(object)
        }
    }

    private func randomText(_ random: inout SplitMix64) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "\n", "\u{1}", "\u{7F}", "\u{E9}", "\u{20AC}", "\u{1F600}", "/", "\0",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text.append(scalars.randomElement(using: &random) ?? "a")
        }
        return String(text)
    }
}
