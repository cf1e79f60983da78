/// What requests said of their app's version: a label of `gatehouse_app_version_requests_total`.
public enum AppVersionCount: String, CaseIterable, Sendable {
    case missing
    case unreadable
    case current
    case belowRecommended = "below_recommended"
    case belowMinimum = "below_minimum"

    @inlinable public var index: Int {
        switch self {
        case .missing: 0
        case .unreadable: 1
        case .current: 2
        case .belowRecommended: 3
        case .belowMinimum: 4
        }
    }
}
