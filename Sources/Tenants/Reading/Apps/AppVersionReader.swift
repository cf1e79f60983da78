import ConfigurationText

/// Reads `app_version`.
enum AppVersionReader {
    /// Fields that say something else, or that the gateway writes.
    private static let otherFields = ["authorization", "cookie", "host", "content-length", "transfer-encoding"]

    /// - Returns: nil if there is no version to compare with, which was reported.
    static func read(_ entry: DocumentNode.Entry, _ session: ReadingSession) -> AppVersionRules? {
        let node = entry.value
        guard case .map = node.content else { return nil }
        let minimum = version(Schema.appVersion.minimum, node, session)
        let recommended = version(Schema.appVersion.recommended, node, session)
        if node[Schema.appVersion.minimum] == nil, node[Schema.appVersion.recommended] == nil {
            session.at(entry).error(
                "\"app_version\" has nothing to compare with: add \"minimum\", like 5.2.0, or \"recommended\""
            )
        }
        if let minimum, let recommended, minimum > recommended, let place = node.entry(Schema.appVersion.minimum) {
            session.at(place.value).error(
                "\"minimum\" is above \"recommended\": who has the one would be told of the other, which is refused; "
                    + "raise \"recommended\" to \(minimum)"
            )
        }
        let store = store(node[Schema.appVersion.store], session)
        if minimum != nil, store == AppStore(), node[Schema.appVersion.store] == nil {
            session.at(entry).warning(
                "old apps are refused and not told where the new one is: add \"store\" with \"ios\" and \"android\""
            )
        }
        let header = header(node, session)
        let paths = paths(node.given(Schema.appVersion.paths), session)
        guard let header, minimum != nil || recommended != nil else { return nil }
        return AppVersionRules(
            header: header,
            minimum: minimum,
            recommended: recommended,
            store: store,
            paths: paths,
            line: entry.keyPosition.sourceLine
        )
    }

    private static func version(
        _ key: Key<String?>,
        _ section: DocumentNode,
        _ session: ReadingSession
    ) -> AppVersion? {
        guard let node = section[key], let scalar = node.filled else { return nil }
        guard let version = AppVersion(scalar.text), !version.isPrerelease, !scalar.text.contains("+") else {
            return session.at(node).refuse(
                "\"\(key.name)\" must be a version, but \(scalar.shown) is none: write up to four numbers with dots "
                    + "between them, like 5.2.0"
            )
        }
        return version
    }

    private static func header(_ section: DocumentNode, _ session: ReadingSession) -> String? {
        let name = section.read(Schema.appVersion.header)
        guard let node = section[Schema.appVersion.header] else { return name.lowercased() }
        guard let scalar = node.filled else { return nil }
        guard NetworkText.isToken(scalar.text), !otherFields.contains(scalar.text.lowercased()) else {
            return session.at(node).refuse(
                "\"header\" must be a field for the version alone, but \(scalar.shown) is none: write it like "
                    + "X-App-Version"
            )
        }
        return scalar.text.lowercased()
    }

    private static func paths(_ list: DocumentNode?, _ session: ReadingSession) -> [PathPattern] {
        var paths: [PathPattern] = []
        for item in list?.items ?? [] {
            guard let scalar = item.filled else { continue }
            do throws(PathPattern.Malformed) {
                let path = try PathPattern(scalar.text)
                if let earlier = paths.first(where: { $0.covers(path) }) {
                    session.at(item).error("\"\(earlier)\" stands for all of this path already: leave one of them out")
                }
                paths.append(path)
            } catch {
                session.at(item).error("\"paths\" has no path here: \(error.reason(of: scalar))")
            }
        }
        return paths
    }

    private static func store(_ section: DocumentNode?, _ session: ReadingSession) -> AppStore {
        AppStore(
            ios: url(Schema.appStore.ios, section, session),
            android: url(Schema.appStore.android, section, session)
        )
    }

    private static func url(_ key: Key<String?>, _ section: DocumentNode?, _ session: ReadingSession) -> String? {
        guard let node = section?[key], let scalar = node.filled else { return nil }
        let schemes = ["https://", "itms-apps://", "market://"]
        guard schemes.contains(where: { scalar.text.hasPrefix($0) && scalar.text.utf8.count > $0.utf8.count }),
            scalar.text.utf8.count <= 2048, scalar.text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return session.at(node).refuse(
                "\"\(key.name)\" must be where the app is updated, but \(scalar.shown) is no such URL: write it with "
                    + "https://, itms-apps:// or market://"
            )
        }
        return scalar.text
    }
}
