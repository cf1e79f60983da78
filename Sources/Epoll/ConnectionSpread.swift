/// Chooses the loop that serves an accepted connection.
///
/// The kernel gives a connection to one of an address's listeners by a hash: of 64 connections, one of four loops often
/// gets half as many again as its share, and is the first at its limit. So a loop that has noticeably more than another
/// hands the connection over. What it may keep grows with the number, since handing over wakes another thread.
enum ConnectionSpread {
    /// - Parameters:
    ///   - index: Of the loop that has accepted the connection.
    ///   - counts: The connections of each loop, without this one.
    /// - Returns: The index of the loop that serves it.
    static func loop(for index: Int, counts: [Int]) -> Int {
        guard let fewest = counts.min(), counts[index] > fewest + surplus(over: fewest) else { return index }
        // The next one after the own, so that loops that hand over at the same time do not all choose the first.
        for step in 1..<counts.count where counts[(index + step) % counts.count] == fewest {
            return (index + step) % counts.count
        }
        return index
    }

    /// How many more than the loop with the fewest a loop may have and still keep what it accepts.
    static func surplus(over fewest: Int) -> Int { 1 + max(0, fewest) / 32 }
}
