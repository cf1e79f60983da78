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

    // MARK: What is left behind

    private static func place(_ number: Int, _ client: String, at time: UnixTime = start) -> OutboxRecords.Place {
        let digits = String(number)
        let name = String(repeating: "0", count: 9 - digits.count) + digits
        return OutboxRecords.Place(name: name, id: name, receiver: Self.client(client), time: time, oldest: time)
    }

    private static func client(_ id: String) -> OutboxReceiverID { .client(tenant: "shop", id: id) }

    /// Reads on until the end or the bound, and leaves each place that nobody takes.
    ///
    /// - Returns: The names taken, and how many pages were read.
    private static func read(
        _ scan: inout QueueScan,
        _ queue: [OutboxRecords.Place],
        at now: UnixTime,
        takes: (OutboxReceiverID) -> Bool
    ) -> (taken: [String], pages: Int) {
        var (taken, pages) = ([String](), 0)
        while true {
            if let place = scan.next() {
                if takes(place.receiver) { taken.append(place.name) } else { scan.leave(place) }
                continue
            }
            scan.turn(takes)
            guard scan.needsPage else { return (taken, pages) }
            let cursor = scan.cursor ?? ""
            let page = queue.drop { !cursor.utf8.lexicographicallyPrecedes($0.name.utf8) }.prefix(QueueScan.page)
            scan.add(Array(page), at: now)
            pages += 1
        }
    }

    @Test func whatNobodyTakesIsReadOnce() {
        var scan = QueueScan()
        let queue = (0..<3000).map { Self.place($0, "down") }
        let now = Self.start + QueueScan.settling
        let first = Self.read(&scan, queue, at: now) { _ in false }
        #expect(first.pages == 12 && scan.hasLeft(Self.client("down")))
        for _ in 0..<9 {
            scan.tick()
            let next = Self.read(&scan, queue, at: now) { _ in false }
            #expect(next.taken.isEmpty && next.pages == 1)
        }
        // What is new is found at once.
        scan.tick()
        let further = queue + [Self.place(5000, "well", at: now)]
        let new = Self.read(&scan, further, at: now) { $0 == Self.client("well") }
        #expect(new.taken == [Self.place(5000, "well").name] && new.pages == 1)
    }

    @Test func receiverThatTakesMoreIsReadFromItsFirstPlaceLeft() {
        var scan = QueueScan()
        // One of "rare" after all others but one.
        let queue =
            (0..<2000).map { Self.place($0, "down") } + [Self.place(2000, "rare")] + [Self.place(2001, "down")]
        let now = Self.start + QueueScan.settling
        _ = Self.read(&scan, queue, at: now) { _ in false }
        scan.lookBehind()
        let found = Self.read(&scan, queue, at: now) { $0 == Self.client("rare") }
        #expect(found.taken == [Self.place(2000, "rare").name])
        // A page, and another which is the end.
        #expect(found.pages <= 2)
        #expect(!scan.hasLeft(Self.client("rare")) && scan.hasLeft(Self.client("down")))
    }

    /// The rest of a page that there was no time for.
    @Test func placesOfAPageThatIsGivenUpAreLeft() {
        var scan = QueueScan()
        let queue = (0..<300).map { Self.place($0, $0.isMultiple(of: 2) ? "a" : "b") }
        let now = Self.start + QueueScan.settling
        _ = Self.read(&scan, queue, at: now) { _ in false }
        scan.tick()
        _ = Self.read(&scan, queue, at: now) { _ in false }
        scan.lookBehind()
        scan.turn { _ in true }
        scan.add(Array(queue.prefix(QueueScan.page)), at: now)
        let first = scan.next()?.name
        scan.tick()
        let rest = Self.read(&scan, queue, at: now) { _ in true }
        #expect(Set(rest.taken + [first ?? ""]) == Set(queue.map(\.name)))
    }

    /// Another instance's clock may be late.
    @Test func placesThatAreNewAreReadEachTime() {
        var scan = QueueScan()
        let queue = [Self.place(1, "down"), Self.place(2, "down", at: Self.start + 50)]
        let now = Self.start + QueueScan.settling
        _ = Self.read(&scan, queue, at: now) { _ in false }
        scan.tick()
        #expect(scan.cursor == queue[0].name)
    }

    @Test func reviewFindsWhatWasAddedBehind() {
        var scan = QueueScan()
        let queue = [Self.place(2, "down"), Self.place(3, "down")]
        let now = Self.start + QueueScan.settling
        _ = Self.read(&scan, queue, at: now) { _ in false }
        let late = [Self.place(1, "well")] + queue
        scan.tick()
        let unseen = Self.read(&scan, late, at: now) { $0 == Self.client("well") }
        #expect(unseen.taken.isEmpty)
        scan.review(late, at: now)
        scan.tick()
        let seen = Self.read(&scan, late, at: now) { $0 == Self.client("well") }
        #expect(seen.taken == [late[0].name])
    }

    @Test func withTooManyReceiversEachPassReadsEverything() {
        var scan = QueueScan()
        let queue = (0...QueueScan.mostLeft).map { Self.place($0, "client \($0)") }
        let now = Self.start + QueueScan.settling
        for _ in 0..<3 {
            let pass = Self.read(&scan, queue, at: now) { _ in false }
            #expect(pass.pages == 9)
            scan.tick()
            #expect(scan.cursor == nil)
        }
    }
}
