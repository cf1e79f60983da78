import Verification

/// Reads `vault.capture`.
enum TokenCaptureReader {
    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> [TokenCapture] {
        var captures: [TokenCapture] = []
        for item in node.items {
            let path = item["path"].flatMap { PathReader.read($0, name: "path", &session) }
            let access = pointer("access_token", item, &session)
            let refresh = pointer("refresh_token", item, &session)
            guard let path, let access, let refresh else { continue }
            captures.append(TokenCapture(path: path, accessToken: access, refreshToken: refresh))
        }
        return captures
    }

    private static func pointer(
        _ name: String,
        _ item: DocumentNode,
        _ session: inout ReadingSession
    ) -> JSONPointer? {
        guard let value = item[name] else { return JSONPointer("/\(name)") }
        return PointerReader.read(value, name: name, &session)
    }
}
