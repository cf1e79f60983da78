import TestSupport
import Testing

@testable import HTTPCore

/// Close frames of our own (RFC 6455 section 5.5.1).
struct CloseFrameTests {
    @Test func frameToClientIsUnmasked() {
        let frame = CloseFrame.bytes(code: CloseFrame.policyViolation, reason: "expired", mask: nil)
        #expect(frame == [0x88, 9, 0x03, 0xf0] + Array("expired".utf8))
    }

    @Test func frameToBackendIsMasked() {
        let frame = CloseFrame.bytes(code: CloseFrame.goingAway, reason: "ab c", mask: 0x0102_0380)
        #expect(Array(frame[..<6]) == [0x88, 0x86, 1, 2, 3, 0x80])
        let key: [UInt8] = [1, 2, 3, 0x80]
        let payload = frame[6...].enumerated().map { $0.element ^ key[$0.offset % 4] }
        #expect(payload == [0x03, 0xe9] + Array("ab c".utf8))
    }

    @Test func reasonMayBeEmpty() {
        #expect(CloseFrame.bytes(code: 1000, reason: "", mask: nil) == [0x88, 2, 0x03, 0xe8])
    }

    @Test func longReasonIsCutAtCharacterBoundary() {
        func reason(_ text: String) -> String {
            String(decoding: CloseFrame.bytes(code: 1008, reason: text, mask: nil)[4...], as: UTF8.self)
        }
        let longest = String(repeating: "a", count: 123)
        #expect(reason(longest) == longest)
        #expect(reason(longest + "b") == longest)
        let short = String(repeating: "a", count: 121)
        #expect(reason(short + "é") == short + "é")
        #expect(reason(short + "éb") == short + "é")
        #expect(reason(short + "€") == short)
        #expect(reason(short + "a€") == short + "a")
    }

    @Test func frameOfAnyReasonIsValid() {
        var random = SplitMix64(seed: 43)
        for _ in 0..<500 {
            let reason = String((0..<random.below(200)).map { _ in random.pick(Array("aé€😀")) })
            let mask = random.oneIn(2) ? UInt32(truncatingIfNeeded: random.next()) : nil
            let frame = CloseFrame.bytes(code: 1008, reason: reason, mask: mask)
            var boundary = FrameBoundary()
            boundary.advance(frame)
            #expect(boundary.isAtBoundary && boundary.hasClosed)
            #expect(frame.count <= 2 + 4 + 125)
            if mask == nil { #expect(String(validating: frame[4...], as: UTF8.self) != nil) }
        }
    }
}
