import TestSupport
import Testing

@testable import Time

struct CalendarTests {
    private func date(_ seconds: Int64) -> String {
        String(decoding: HTTPDate.text(UnixTime(Double(seconds))), as: UTF8.self)
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (1_709_208_000, "Thu, 29 Feb 2024 12:00:00 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func knownInstantsAsHTTPDates(seconds: Int64, expected: String) {
        #expect(date(seconds) == expected)
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"), (784_111_777.5, "1994-11-06T08:49:37.500Z"),
        (951_868_799.9995, "2000-02-29T23:59:59.999Z"), (1_709_208_000.0625, "2024-02-29T12:00:00.062Z"),
        (1_709_208_000.0005, "2024-02-29T12:00:00.000Z"),
    ])
    func knownInstantsAsRFC3339(time: Double, expected: String) {
        #expect(HTTPDate.rfc3339(UnixTime(time)) == expected)
    }

    /// Day by day over 450 years, with months and leap years counted on fingers.
    @Test func everyDayIsTheOneAfterTheLast() {
        var (year, month, day) = (1970, 1, 1)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        for number in 0..<164_359 {
            let start = Int64(number) * 86400
            let first = CivilTime(UnixTime(Double(start)))
            let last = CivilTime(UnixTime(Double(start + 86399)))
            guard (first.year, first.month, first.day) == (year, month, day),
                (last.year, last.month, last.day) == (year, month, day),
                (first.hour, first.minute, first.second) == (0, 0, 0),
                (last.hour, last.minute, last.second) == (23, 59, 59)
            else {
                Issue.record("\(year)-\(month)-\(day) is wrong")
                return
            }
            if day == 1 { #expect(date(start).hasPrefix(weekdays[number % 7])) }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day += 1
            if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(year == 2420)
    }

    @Test func timeOfDayIsItsParts() {
        var random = SplitMix64(seed: 120)
        for _ in 0..<2000 {
            let seconds = Int64(random.below(8_000_000_000))
            let civil = CivilTime(UnixTime(Double(seconds)))
            #expect(Int64(civil.hour * 3600 + civil.minute * 60 + civil.second) == seconds % 86400)
            #expect((0..<24).contains(civil.hour) && (0..<60).contains(civil.minute) && (0..<60).contains(civil.second))
        }
    }
}
