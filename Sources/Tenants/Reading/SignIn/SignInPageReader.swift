import ConfigurationText
import Verification

/// Reads `issuer.page`, with the files that it names.
enum SignInPageReader {
    static func read(_ node: DocumentNode?, _ session: ReadingSession) -> SignInPage {
        SignInPage(
            name: node?[Schema.page.name].flatMap { name($0, session) },
            color: node?[Schema.page.color].flatMap { color($0, session) },
            logo: node?[Schema.page.logo].flatMap { logo($0, session) },
            texts: node?[Schema.page.texts].flatMap { PageTextsReader(session).read($0) }
        )
    }

    private static func name(_ node: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = node.filled else { return nil }
        guard PrintableText.isPrintable(scalar.text) else {
            return session.at(node).refuse("\"name\" must be visible text on one line: leave control characters out")
        }
        return scalar.text
    }

    private static func color(_ node: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = node.filled else { return nil }
        guard isColor(scalar.text) else {
            return session.at(node).refuse(
                "\"color\" must be \"#\" and six hexadecimal digits, but is \(scalar.shown): write it like "
                    + "\"#0a7cff\""
            )
        }
        return scalar.text
    }

    private static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#")
            && text.utf8.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static func logo(_ node: DocumentNode, _ session: ReadingSession) -> PageLogo? {
        guard let scalar = node.filled else { return nil }
        return session.shared(\.logos, session.resolve(scalar.text)) { path in
            let content: [UInt8]
            do throws(FileReadingError) {
                content = try session.files.read(path, limit: PageLogo.maximumLength)
            } catch .tooLarge {
                return session.at(node).refuse(
                    "\"logo\" is longer than \(PageLogo.maximumLength >> 10) KiB, \(scalar.shown): every page has it "
                        + "in itself, make it smaller"
                )
            } catch {
                return session.at(node).refuse("\"logo\" cannot be read, \(scalar.shown): \(error)")
            }
            guard let logo = PageLogo(content) else {
                return session.at(node).refuse(
                    "\"logo\" is no picture that browsers show, \(scalar.shown): save it as PNG, JPEG, WebP or SVG"
                )
            }
            return logo
        }
    }
}
