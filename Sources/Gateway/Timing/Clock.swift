import Glibc

/// The system's clocks, without Foundation: they are read several times a request.
enum Clock {
    /// Nanoseconds that only go forward.
    static func monotonic() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Unix seconds.
    static func unix() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}

/// Dates as text, worked out from the civil calendar: no locale, no formatter.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// An IMF-fixdate (RFC 9110 section 5.6.7).
    static func text(unixSeconds: Int64) -> [UInt8] {
        let civil = CivilTime(unixSeconds: unixSeconds)
        let day = days[Int(unixSeconds / 86400 % 7)]
        return Array(
            "\(day), \(two(civil.day)) \(months[civil.month - 1]) \(civil.year) \(time(civil)) GMT".utf8
        )
    }

    /// RFC 3339 in UTC with milliseconds, for log lines.
    static func rfc3339(unixTime: Double) -> String {
        let seconds = unixTime.rounded(.down)
        let civil = CivilTime(unixSeconds: Int64(seconds))
        let milliseconds = Int((unixTime - seconds) * 1000)
        let padded = String(String(1000 + milliseconds).dropFirst())
        return "\(civil.year)-\(two(civil.month))-\(two(civil.day))T\(time(civil)).\(padded)Z"
    }

    private static func time(_ civil: CivilTime) -> String {
        "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Unix time in the proleptic Gregorian calendar, UTC.
struct CivilTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int

    /// Counts in eras of 400 years that begin on 1 March, so that the leap day is a year's last.
    init(unixSeconds: Int64) {
        let days = Int(unixSeconds / 86400) + 719_468
        let secondOfDay = Int(unixSeconds % 86400)
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = secondOfDay / 3600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
    }
}
