import Testing
import Time

@testable import Events

/// Reading a queue page by page.
@Suite struct QueueScanTests {
    private static let start = UnixTime(1_800_000_000)

    private static func places(_ numbers: Range<Int>, after seconds: Double = 0) -> [OutboxRecords.Place] {
        numbers.map { number in
            let name = String(number)
            let time = start + seconds
            return OutboxRecords.Place(name: name, id: name, receiver: .webhook, time: time, oldest: time)
        }
    }

    private static func taken(_ scan: inout QueueScan) -> [String] {
        var names: [String] = []
        while let place = scan.next() { names.append(place.name) }
        return names
    }

    @Test func pagesAreReadUntilOneIsNotFull() {
        var scan = QueueScan()
        #expect(scan.needsPage && scan.cursor == nil)
        scan.add(Self.places(0..<QueueScan.page), at: Self.start)
        #expect(!scan.needsPage)
        let first = Self.taken(&scan)
        #expect(first.count == QueueScan.page)
        #expect(scan.needsPage && scan.cursor == first.last)
        scan.add(Self.places(256..<300), at: Self.start)
        let second = Self.taken(&scan)
        #expect(second.count == 44)
        #expect(!scan.needsPage)
        scan.tick()
        #expect(scan.needsPage && scan.cursor == nil)
    }

    @Test func whatIsNotDueYetIsLeft() {
        var scan = QueueScan()
        scan.add(Self.places(0..<3) + Self.places(3..<5, after: 1), at: Self.start)
        let names = Self.taken(&scan)
        #expect(names == ["0", "1", "2"])
        #expect(!scan.needsPage)
    }

    @Test func restIsLookedAtAfterTheNextTick() {
        var scan = QueueScan()
        for _ in 0..<QueueScan.mostPages {
            #expect(scan.needsPage)
            scan.add(Self.places(0..<QueueScan.page), at: Self.start)
            _ = Self.taken(&scan)
        }
        #expect(!scan.needsPage)
        // Not by beginning again either.
        scan.restart()
        #expect(!scan.needsPage)
        scan.tick()
        #expect(scan.needsPage)
    }

    @Test func pageIsReadAgainAfterATick() {
        var scan = QueueScan()
        scan.add(Self.places(0..<9), at: Self.start)
        let first = scan.next()?.name
        scan.tick()
        #expect(first == "0" && scan.needsPage && scan.cursor == "0")
        scan.tick(fromBeginning: true)
        #expect(scan.needsPage && scan.cursor == nil)
    }
}
