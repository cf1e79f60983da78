package import Counting
import HTTPCore
package import Tenants

/// What a request says of its app's version, by the tenant's rules.
package enum AppVersionFinding: Equatable {
    /// It says none.
    case missing
    /// What it says is no version, or there are several.
    case unreadable
    case current
    /// Served, and told of a newer one.
    case belowRecommended
    /// No longer served.
    case belowMinimum

    /// The case of the counter.
    package var count: AppVersionCount {
        switch self {
        case .missing: .missing
        case .unreadable: .unreadable
        case .current: .current
        case .belowRecommended: .belowRecommended
        case .belowMinimum: .belowMinimum
        }
    }
}

/// A tenant's `app_version`, prepared for the request path.
package final class AppVersionCheck {
    package let rules: AppVersionRules
    private let hash: UInt32

    private static let platformHash = FieldLine.hash(ofName: "x-app-platform")
    private static let agentHash = FieldLine.hash(ofName: "user-agent")

    init(_ rules: AppVersionRules) {
        self.rules = rules
        hash = FieldLine.hash(ofName: rules.header)
    }

    /// - Returns: Nil for a path that the app does not ask for.
    func finding(_ request: CanonicalRequest, _ bytes: Span<UInt8>) -> AppVersionFinding? {
        // In any reading, as other servers may read the path.
        guard request.inAnyReading(bytes, isCovered) else { return nil }
        return version(request.head, bytes)
    }

    private func isCovered(_ path: Span<UInt8>) -> Bool {
        for pattern in rules.paths where pattern.matches(path) { return true }
        return false
    }

    private func version(_ head: RequestHead, _ bytes: Span<UInt8>) -> AppVersionFinding {
        guard let value = Self.value(of: rules.header, hash, head, bytes) else { return .missing }
        guard !value.isSeveral, let version = AppVersion(bytes.extracting(value.range)) else { return .unreadable }
        if let minimum = rules.minimum, version < minimum { return .belowMinimum }
        if let recommended = rules.recommended, version < recommended { return .belowRecommended }
        return .current
    }

    private static func value(
        of name: String,
        _ hash: UInt32,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> (range: Range<Int>, isSeveral: Bool)? {
        let fields = head.fields
        var found: (range: Range<Int>, isSeveral: Bool)?
        for index in 0..<head.fieldCount where fields[index].hash == hash {
            let field = fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, equalTo: name) else { continue }
            if let earlier = found {
                found = (earlier.range, earlier.isSeveral || !bytes.isEqual(earlier.range, field.value))
            } else {
                found = (field.value, false)
            }
        }
        return found
    }

    // MARK: The refusal

    func refusal(_ head: RequestHead, _ bytes: Span<UInt8>) -> Refusal {
        let minimum = rules.minimum?.description ?? ""
        var refusal = Refusal(
            .upgradeRequired,
            status: 426,
            detail: "this version of the app is no longer supported: update it to \(minimum) or later"
        )
        refusal.upgrade = AppUpgrade(minimum: minimum, url: url(head, bytes))
        refusal.fields = [HeaderField("X-App-Update", "required"), HeaderField("Vary", rules.header)]
        return refusal
    }

    /// Where this client updates the app; nil if neither it nor the configuration says.
    private func url(_ head: RequestHead, _ bytes: Span<UInt8>) -> String? {
        switch Self.platform(head, bytes) {
        case .ios: rules.store.ios
        case .android: rules.store.android
        case nil: rules.store.ios == nil ? rules.store.android : rules.store.android == nil ? rules.store.ios : nil
        }
    }

    private enum Platform {
        case ios, android
    }

    /// `X-App-Platform: ios` or `android`, else by what user agents of the platforms say.
    private static func platform(_ head: RequestHead, _ bytes: Span<UInt8>) -> Platform? {
        if let said = value(of: "x-app-platform", platformHash, head, bytes), !said.isSeveral {
            if bytes.isCaseInsensitively("ios", said.range) { return .ios }
            if bytes.isCaseInsensitively("android", said.range) { return .android }
        }
        guard let agent = value(of: "user-agent", agentHash, head, bytes), !agent.isSeveral else { return nil }
        let text = bytes.extracting(agent.range)
        // OkHttp and Dalvik are the clients of Android apps, CFNetwork and Darwin those of Apple's systems.
        for word: StaticString in ["android", "okhttp", "dalvik"] where text.hasWord(word) { return .android }
        for word: StaticString in ["iphone", "ipad", "ios", "cfnetwork", "darwin"] where text.hasWord(word) {
            return .ios
        }
        return nil
    }
}

extension Span where Element == UInt8 {
    /// Whether a word of it begins so, as "iOS" and not "axios" does with "ios"; case is ignored.
    ///
    /// - Parameter word: In lower case.
    fileprivate func hasWord(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard count >= length else { return false }
        for start in 0...(count - length)
        where (start == 0 || !(0x61...0x7A).contains(self[start - 1] | 0x20))
            && isCaseInsensitively(word, start..<(start + length))
        {
            return true
        }
        return false
    }
}
