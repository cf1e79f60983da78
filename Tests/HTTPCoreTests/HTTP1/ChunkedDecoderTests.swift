import TestSupport
import Testing

@testable import HTTPCore

/// Bodies in the chunked coding (RFC 9112 section 7.1): good ones and every violation.
struct ChunkedDecoderTests {
    struct Good: Sendable {
        var text: String
        var body: String
        var trailers = ""
    }

    static let good = [
        Good(text: "0\r\n\r\n", body: ""),
        Good(text: "5\r\nhello\r\n0\r\n\r\n", body: "hello"),
        Good(text: "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", body: "abc"),
        Good(text: "A\r\n0123456789\r\n0\r\n\r\n", body: "0123456789"),
        Good(text: "a\r\n0123456789\r\n0\r\n\r\n", body: "0123456789"),
        Good(text: "0005\r\nhello\r\n000\r\n\r\n", body: "hello"),
        Good(text: "2\r\n\r\n\r\n0\r\n\r\n", body: "\r\n"),
        Good(text: "5;x=y\r\nhello\r\n0;last\r\n\r\n", body: "hello"),
        Good(text: "5 ;x\r\nhello\r\n0\t;last\r\n\r\n", body: "hello"),
        Good(text: "5 \t  ; x = y\r\nhello\r\n0\r\n\r\n", body: "hello"),
        Good(text: "5;\r\nhello\r\n0\r\n\r\n", body: "hello"),
        Good(text: "5; x = \"a;b\\\"c\"\r\nhello\r\n0\r\n\r\n", body: "hello"),
        Good(text: "5;x=\"\\\\\"\r\nhello\r\n0;\t\r\n\r\n", body: "hello"),
        Good(text: "0\r\nA: b\r\n\r\n", body: "", trailers: "A: b\r\n"),
        Good(text: "1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", body: "x", trailers: "A: b\r\nC:\r\n"),
    ]

    @Test(arguments: good)
    func validBodyIsDecoded(good: Good) {
        let reading = BodyReading.read(good.text + "GET / next")
        #expect(String(decoding: reading.body, as: UTF8.self) == good.body)
        #expect(String(decoding: reading.trailers, as: UTF8.self) == good.trailers)
        #expect(reading.end == .complete)
        #expect(reading.used == good.text.utf8.count)
    }

    static let violations = [
        "\r\n", "\r\n5\r\nhello\r\n0\r\n\r\n", "x\r\n", "-1\r\n", "+5\r\n", "0x5\r\n", " 5\r\n", "5 \r\n", "5\n",
        "5\r5", "5\t\r\n", "5 \n", "5 5\r\n", "5 x\r\n", " ;x\r\n", "5 \u{b};x\r\n", "5 \r;x\r\n", "5 =x\r\n", "g\r\n",
        ";x\r\n", "5\rhello", "5\r\nhelloX\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\rX", "5;a\nb\r\n", "5;\u{0}\r\n",
        "5;\"a\r\n\"\r\n", "5;\u{7f}\r\n", "5;\"\\\u{1}\"\r\n", "5;a\rb\r\n", "0\r\nA : b\r\n\r\n", "0\r\n: b\r\n\r\n",
        "0\r\nA\r\n\r\n", "0\r\nA: b\n\r\n", "0\r\nA: b\rc\r\n\r\n", "0\r\n\rX", "0\r\n\n", "0\r\nA: b\r\n c\r\n\r\n",
        "0\r\nA: \u{0}\r\n\r\n", "5\r\nhello5\r\n", "0\r\n\u{e9}: b\r\n\r\n", "100000000000000000000\r\n",
    ]

    @Test(arguments: violations)
    func malformedCodingIsViolation(text: String) {
        guard case .violation(let violation) = BodyReading.read(text).end else {
            Issue.record("\(text) was not refused")
            return
        }
        #expect(violation.status == 400)
    }

    @Test(arguments: [
        "", "5", "5\r", "5\r\n", "5\r\nhell", "5\r\nhello", "5\r\nhello\r\n0", "0\r\n", "0\r\nA: b\r\n", "0\r\n\r",
    ])
    func incompleteCodingNeedsMore(text: String) {
        let reading = BodyReading.read(text)
        #expect(reading.end == .wantsMore)
        #expect(reading.used == text.utf8.count)
    }

    @Test func violationsAreTheSameByteByByte() {
        for text in Self.violations {
            #expect(BodyReading.byteByByte(Array(text.utf8)) == BodyReading.read(text), "\(text)")
        }
    }

    // MARK: Sizes

    @Test func chunkSizeIsLimited() {
        #expect(BodyReading.read("fffffffffffffff\r\nabc").end == .wantsMore)
        #expect(BodyReading.read("fffffffffffffff\r\nabc").body == Array("abc".utf8))
        #expect(BodyReading.read("100000000000000\r\n").end == .wantsMore)
        #expect(BodyReading.read("1000000000000000\r\n").end != .wantsMore)
        #expect(BodyReading.read("ffffffffffffffff\r\n").end != .wantsMore)
    }

    @Test func moreThan64SizeDigitsAreRefused() {
        let zeros = String(repeating: "0", count: 63)
        #expect(BodyReading.read(zeros + "1\r\nx\r\n0\r\n\r\n").end == .complete)
        #expect(
            BodyReading.read(zeros + "01\r\nx\r\n0\r\n\r\n").end == .violation(.badRequest("a chunk size is too long"))
        )
    }

    @Test func sizeDigitsAreCountedPerChunk() {
        let chunk = String(repeating: "0", count: 40) + "1\r\nx\r\n"
        #expect(BodyReading.read(chunk + chunk + chunk + "0\r\n\r\n").body == Array("xxx".utf8))
    }

    @Test func extensionsBeyond256KiBAreRefused() {
        // The `;` is not counted, the CR is.
        let longest = String(repeating: "e", count: 262_143)
        #expect(BodyReading.read("0;\(longest)\r\n\r\n").end == .complete)
        #expect(
            BodyReading.read("0;\(longest)e\r\n\r\n").end
                == .violation(.badRequest("the chunk extensions are too long"))
        )
    }

    @Test func whiteSpaceBeforeExtensionsCountsAsExtension() {
        let longest = String(repeating: " ", count: 262_143)
        #expect(BodyReading.read("0\(longest);\r\n\r\n").end == .complete)
        #expect(
            BodyReading.read("0\(longest)  ;\r\n\r\n").end
                == .violation(.badRequest("the chunk extensions are too long"))
        )
    }

    @Test func extensionsAreCountedAgainstData() {
        let chunk = "1;\(String(repeating: "e", count: 999))\r\nx\r\n"
        #expect(BodyReading.read(String(repeating: chunk, count: 262)).end == .wantsMore)
        #expect(BodyReading.read(String(repeating: chunk, count: 263)).end != .wantsMore)
    }

    @Test func trailersBeyondLimitAre431() {
        let line = "A: \(String(repeating: "v", count: 1019))\r\n"
        #expect(line.utf8.count == 1024)
        #expect(BodyReading.read("0\r\n" + String(repeating: line, count: 15) + "\r\n").end == .complete)
        guard case .violation(let violation) = BodyReading.read("0\r\n" + String(repeating: line, count: 17)).end else {
            Issue.record("the trailers were taken")
            return
        }
        #expect(violation.status == 431)
    }
}
