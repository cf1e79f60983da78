import Gateway
import Logging
import Synchronization
import Testing
import Time
import Upstream
import Verification

@testable import Tenants
@testable import gatehouse

struct LineLogHandlerTests {
    private final class Lines: Sendable {
        let text = Mutex("")
    }

    /// What is written of what `log` logs: one line, without its end.
    private func logged(
        _ format: LogSettings.Format,
        _ settings: LogSettings = LogSettings(level: .trace),
        _ log: (Logger) -> Void
    ) throws -> String {
        let lines = Lines()
        log(logger(format, LogLevels(settings), lines))
        var text = lines.text.withLock { $0 }
        #expect(text.popLast() == "\n")
        #expect(!text.contains { $0.isNewline })
        return text
    }

    private func logger(_ format: LogSettings.Format, _ levels: LogLevels, _ lines: Lines) -> Logger {
        Logger(label: "gatehouse") { label in
            LineLogHandler(
                label: label,
                format: format,
                levels: levels,
                write: { line in lines.text.withLock { $0 += line } },
                now: { UnixTime(1_770_000_000.25) }
            )
        }
    }

    private func json(_ log: (Logger) -> Void) throws -> JSONObject {
        let line = try logged(.json) { log($0) }
        return try #require(try JSONParser.parse(Array(line.utf8)).object)
    }

    // MARK: JSON

    @Test func lineHasTimeMessageAndLevel() throws {
        let line = try json { $0.warning("disk is full", metadata: ["left": "0"]) }
        #expect(line["time"] == "2026-02-02T02:40:00.250Z")
        #expect(line["level"] == "warning")
        #expect(line["logger"] == "gatehouse")
        #expect(line["message"] == "disk is full")
        #expect(line["left"] == "0")
    }

    @Test func newlinesAndQuotesStayInsideTheLine() throws {
        let message = "two\nlines, \"quoted\", \u{1}"
        let line = try json { $0.info("\(message)") }
        #expect(line["message"] == .string(message))
    }

    @Test func metadataCannotReplaceAFieldOfTheLine() throws {
        let line = try json { $0.info("true words", metadata: ["message": "forged", "nested": ["a": ["b"]]]) }
        #expect(line["message"] == "true words")
        #expect(line["metadata_message"] == "forged")
        #expect(line["nested"] == ["a": ["b"]])
    }

    @Test func metadataKeepsItsNameWithoutConflict() throws {
        let line = try json { $0.error("it broke", metadata: ["error": "the reason"]) }
        #expect(line["error"] == "the reason")
    }

    // MARK: Text

    @Test func textIsReadFromLeftToRight() throws {
        let line = try logged(.text) {
            $0.warning("disk is full", metadata: ["left": "0", "path": "/a b", "who": "x=\"y\"", "none": ""])
        }
        #expect(
            line
                == #"2026-02-02T02:40:00.250Z warning gatehouse: disk is full left=0 none="" path="/a b" who="x=\"y\"""#
        )
    }

    @Test(arguments: ["a\nb", "a\r\nb", "\u{1b}[31mred", "a\u{85}b\u{2028}c\u{2029}d", "\u{202e}turned", "\u{0}\u{7f}"])
    func controlCharactersInMessagesAreEscaped(message: String) throws {
        for format in LogSettings.Format.allCases {
            let line = try logged(format) { $0.notice("\(message)", metadata: ["a": "\(message)", "\(message)": "b"]) }
            let unseen: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
            let isSeen = line.unicodeScalars.allSatisfy { !unseen.contains($0.properties.generalCategory) }
            #expect(isSeen, "\(line)")
        }
        let text = try logged(.text) { $0.notice("\(message)") }
        #expect(text.unicodeScalars.allSatisfy { (0x20..<0x7f).contains($0.value) }, "\(text)")
    }

    // MARK: Levels

    @Test func moduleLevelChangesWithAReload() throws {
        let lines = Lines()
        let levels = LogLevels(LogSettings(level: .warning, levels: [.keys: .debug, .tls: .error]))
        let logger = logger(.json, levels, lines)
        let handler = try #require(logger.handler as? any ModuleLogHandler)
        let loggers = LogModule.allCases.map { module in
            Logger(label: module.label) { _ in handler.handler(for: module) }
        }
        func written(_ log: (Logger) -> Void) throws -> [String] {
            lines.text.withLock { $0 = "" }
            for logger in [logger] + loggers { log(logger) }
            return try lines.text.withLock { $0 }.split(separator: "\n").map { line in
                try JSONParser.parse(Array(line.utf8)).object?["logger"]?.string ?? ""
            }
        }
        #expect(try written { $0.debug("d") } == ["gatehouse.keys"])
        #expect(try written { $0.warning("w") }.count == loggers.count)
        #expect(try !written { $0.warning("w") }.contains("gatehouse.tls"))
        #expect(try written { $0.error("e") }.count == loggers.count + 1)

        handler.use(LogSettings(level: .error, levels: [.tracing: .trace]))
        #expect(try written { $0.trace("t") } == ["gatehouse.tracing"])
        // Changes through the admin API are logged in any case.
        #expect(try written { $0.notice("n") } == ["gatehouse.audit", "gatehouse.tracing"])
        #expect(try written { $0.error("e") }.count == loggers.count + 1)
    }

    @Test func higherLevelAppliesToAllModules() throws {
        var quiet = logger(.json, LogLevels(LogSettings(level: .debug, levels: [.admin: .critical])), Lines())
        quiet.logLevel = .warning
        #expect(quiet.logLevel == .warning)
        let handler = try #require(quiet.handler as? any ModuleLogHandler)
        #expect(handler.handler(for: .keys).logLevel == .warning)
        #expect(handler.handler(for: .admin).logLevel == .critical)
    }

    @Test func everyLevelOfEveryModuleIsKept() {
        for (place, module) in LogModule.allCases.enumerated() {
            for (rank, level) in LogSettings.Level.allCases.enumerated() {
                let others = LogSettings.Level.allCases[(rank + place) % LogSettings.Level.allCases.count]
                let levels = LogLevels(LogSettings(level: others, levels: [module: level]))
                #expect(levels.level(of: module).rawValue == level.rawValue)
                for other in LogModule.allCases where other != module {
                    #expect(levels.level(of: other).rawValue == others.rawValue)
                }
                #expect(levels.level(of: nil).rawValue == others.rawValue)
            }
        }
    }
}
