import Testing

@testable import Tenants

/// Keys that are given twice have the file read again, each once.
struct DuplicateKeysTests {
    /// Renames the first key of each line as often as it may.
    private func renames(ofFileWithLines lines: Int, width: Int) -> (count: Int, bytesReread: Int) {
        let line = "a: " + String(repeating: "x", count: width - 4) + "\n"
        var text = String(repeating: line, count: lines)
        var duplicates = DuplicateKeys()
        var count = 0
        while count < lines, let renamed = duplicates.rename("a", at: Place(line: count + 1, column: 1), in: text) {
            text = renamed
            count += 1
        }
        return (count, duplicates.bytesReread)
    }

    @Test func smallFileHasEachOfItsDuplicatesTold() {
        #expect(renames(ofFileWithLines: 150, width: 10).count == 150)
        #expect(renames(ofFileWithLines: 300, width: 10).count == 200)
    }

    /// However many duplicates a large file has, it is not read hundreds of times.
    @Test func largeFileIsReadAgainForAFewDuplicatesOnly() {
        let few = renames(ofFileWithLines: 300, width: 4000)
        #expect((1...28).contains(few.count))
        #expect(few.bytesReread <= 32 << 20)
    }
}
