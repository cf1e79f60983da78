import TestSupport
import Testing

@testable import IdentityProvider

/// Contrast by WCAG 2.2: 4.5 for text, 3 for borders.
struct PageColorTests {
    @Test func contrastMatchesWCAG() {
        #expect(abs(PageColor.black.contrast(with: .white) - 21) < 0.001)
        #expect(PageColor.white.contrast(with: .white) == 1)
        // The lightest grey that passes on white.
        #expect(abs((PageColor("#767676")?.contrast(with: .white) ?? 0) - 4.54) < 0.005)
    }

    @Test func textOnAnyColorIsReadable() throws {
        var generator = SplitMix64(seed: 9)
        for _ in 0..<5000 {
            let bytes = generator.bytes(3)
            let color = PageColor(red: bytes[0], green: bytes[1], blue: bytes[2])
            #expect(color.contrast(with: color.textColor) >= 4.5, "\(color.text)")
            #expect(PageColor(color.text) == color)
            let style = PageStyle(accent: color).text
            #expect(style.contains("--accent:\(color.text);--on-accent:\(color.textColor.text)}"))
        }
    }

    @Test func palettesAreReadable() {
        for palette in [PageStyle.light, PageStyle.dark] {
            #expect(palette.text.contrast(with: palette.background) >= 4.5)
            #expect(palette.quietText.contrast(with: palette.background) >= 4.5)
            #expect(palette.appleText.contrast(with: palette.appleBackground) >= 4.5)
            #expect(palette.googleText.contrast(with: palette.googleBackground) >= 4.5)
            #expect(palette.border.contrast(with: palette.background) >= 3)
        }
    }

    @Test(arguments: [
        "", "#", "#12345", "#1234567", "123456", "#12345g", "red", "#12 456", "#١٢٣", "#fff;}", "#12345\u{0}",
    ])
    func invalidColorIsRejected(_ text: String) {
        #expect(PageColor(text) == nil)
    }
}
