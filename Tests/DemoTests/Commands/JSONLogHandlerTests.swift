import Logging
import Synchronization
import Testing
import Verification

@testable import gatehouse

struct JSONLogHandlerTests {
    private final class Lines: Sendable {
        let text = Mutex("")
    }

    private func logged(_ log: (Logger) -> Void) throws -> JSONObject {
        let lines = Lines()
        let logger = Logger(label: "gatehouse") { label in
            JSONLogHandler(
                label: label,
                write: { line in lines.text.withLock { $0 += line } },
                now: { 1_770_000_000.25 }
            )
        }
        log(logger)
        let text = lines.text.withLock { $0 }
        #expect(text.hasSuffix("\n"))
        #expect(text.count { $0.isNewline } == 1)
        return try #require(try JSONParser.parse(Array(text.utf8)).object)
    }

    @Test func lineSaysWhenWhatAndHowBad() throws {
        let line = try logged { $0.warning("disk is full", metadata: ["left": "0"]) }
        #expect(line["time"] == "2026-02-02T02:40:00.250Z")
        #expect(line["level"] == "warning")
        #expect(line["logger"] == "gatehouse")
        #expect(line["message"] == "disk is full")
        #expect(line["left"] == "0")
    }

    @Test func newlinesAndQuotesStayInsideTheLine() throws {
        let message = "two\nlines, \"quoted\", \u{1}"
        let line = try logged { $0.info("\(message)") }
        #expect(line["message"] == .string(message))
    }

    @Test func metadataCannotReplaceAFieldOfTheLine() throws {
        let line = try logged { $0.info("true words", metadata: ["message": "forged", "nested": ["a": ["b"]]]) }
        #expect(line["message"] == "true words")
        #expect(line["metadata_message"] == "forged")
        #expect(line["nested"] == ["a": ["b"]])
    }

    @Test func metadataKeepsItsNameWhereItHidesNothing() throws {
        let line = try logged { $0.error("it broke", metadata: ["error": "the reason"]) }
        #expect(line["error"] == "the reason")
    }
}
