import Testing

@testable import gatehouse

/// The lines that two texts differ in.
struct LineDifferenceTests {
    @Test func sameTextsHaveNone() {
        #expect(LineDifference.lines(from: "a\nb", to: "a\nb") == [])
        #expect(LineDifference.lines(from: "", to: "") == [])
    }

    @Test func changedLineIsShownWithThoseAroundIt() {
        let old = (1...9).map(String.init)
        var new = old
        new[4] = "five"
        #expect(
            LineDifference.lines(from: old.joined(separator: "\n"), to: new.joined(separator: "\n"))
                == ["…", " 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8", "…"]
        )
    }

    @Test func linesLeftOutBetweenTwoChangesAreMarked() {
        let old = (1...12).map(String.init)
        let new = ["0"] + old.dropLast()
        let lines = LineDifference.lines(from: old.joined(separator: "\n"), to: new.joined(separator: "\n"))
        #expect(lines == ["+0", " 1", " 2", " 3", "…", " 9", " 10", " 11", "-12"])
    }

    @Test func newTextIsAllAdded() {
        #expect(LineDifference.lines(from: "", to: "a\nb").filter { $0.hasPrefix("+") } == ["+a", "+b"])
    }
}
