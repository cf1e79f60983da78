/// Dates as text, worked out from the civil calendar: no locale, no formatter.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// An IMF-fixdate (RFC 9110 section 5.6.7).
    public static func text(unixSeconds: Int64) -> [UInt8] {
        let civil = CivilTime(unixSeconds: unixSeconds)
        let day = days[Int(unixSeconds / 86400 % 7)]
        return Array(
            "\(day), \(two(civil.day)) \(months[civil.month - 1]) \(civil.year) \(time(civil)) GMT".utf8
        )
    }

    /// RFC 3339 in UTC with milliseconds, for log lines.
    public static func rfc3339(unixTime: Double) -> String {
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
