/// Dates as text, computed from the civil calendar: no locale, no formatter.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// An IMF-fixdate (RFC 9110 section 5.6.7).
    public static func text(_ time: UnixTime) -> [UInt8] {
        let civil = CivilTime(time)
        let day = days[Int(time.seconds) / 86400 % 7]
        return Array(
            "\(day), \(two(civil.day)) \(months[civil.month - 1]) \(civil.year) \(timeOfDay(civil)) GMT".utf8
        )
    }

    /// RFC 3339 in UTC with milliseconds, for log lines.
    public static func rfc3339(_ time: UnixTime) -> String {
        let civil = CivilTime(time)
        let milliseconds = Int((time.seconds - time.seconds.rounded(.down)) * 1000)
        let padded = String(String(1000 + milliseconds).dropFirst())
        return "\(civil.year)-\(two(civil.month))-\(two(civil.day))T\(timeOfDay(civil)).\(padded)Z"
    }

    private static func timeOfDay(_ civil: CivilTime) -> String {
        "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
