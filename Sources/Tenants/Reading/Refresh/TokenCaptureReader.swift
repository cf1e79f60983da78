import ConfigurationText
import Verification

/// Reads `vault.capture`.
enum TokenCaptureReader {
    static func read(_ items: [DocumentNode], _ session: ReadingSession) -> [TokenCapture] {
        var captures: [TokenCapture] = []
        for item in items {
            let path = PathReader.read(Schema.capture.path, in: item, session)
            let access = PointerReader.read(Schema.capture.accessToken, in: item, session)
            let refresh = PointerReader.read(Schema.capture.refreshToken, in: item, session)
            guard let path, let access, let refresh else { continue }
            captures.append(TokenCapture(path: path, accessToken: access, refreshToken: refresh))
        }
        return captures
    }
}
