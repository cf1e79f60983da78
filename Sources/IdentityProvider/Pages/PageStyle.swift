import Verification

/// The look of the hosted pages: one inline style sheet, without external resources or motion.
struct PageStyle: Sendable {
    /// Pairs of foreground and background colours.
    struct Palette: Sendable {
        let background: PageColor
        let text: PageColor
        let quietText: PageColor
        let appleBackground: PageColor
        let appleText: PageColor
        let googleBackground: PageColor
        let googleText: PageColor
        let border: PageColor
    }

    static let light = Palette(
        background: .white,
        text: PageColor(red: 0x1B, green: 0x1C, blue: 0x20),
        quietText: PageColor(red: 0x55, green: 0x57, blue: 0x60),
        appleBackground: .black,
        appleText: .white,
        googleBackground: .white,
        googleText: PageColor(red: 0x1F, green: 0x1F, blue: 0x1F),
        border: PageColor(red: 0x74, green: 0x77, blue: 0x75)
    )

    static let dark = Palette(
        background: PageColor(red: 0x14, green: 0x15, blue: 0x18),
        text: PageColor(red: 0xF2, green: 0xF2, blue: 0xF5),
        quietText: PageColor(red: 0xB6, green: 0xB8, blue: 0xC1),
        appleBackground: .white,
        appleText: .black,
        googleBackground: PageColor(red: 0x13, green: 0x13, blue: 0x14),
        googleText: PageColor(red: 0xE3, green: 0xE3, blue: 0xE3),
        border: PageColor(red: 0x8E, green: 0x91, blue: 0x8F)
    )

    /// The content of the `style` element.
    let text: String

    /// - Parameter accent: The tenant's.
    init(accent: PageColor) {
        text = """
            :root{color-scheme:light dark;\(Self.variables(Self.light));\
            --accent:\(accent.text);--on-accent:\(accent.textColor.text)}
            @media (prefers-color-scheme:dark){:root{\(Self.variables(Self.dark))}}
            *{box-sizing:border-box}
            html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
            body{margin:0;min-height:100vh;display:flex;background:var(--back);color:var(--text);\
            border-top:.5rem solid var(--accent)}
            main{width:100%;max-width:26rem;margin:auto;padding:2rem 1.25rem;overflow-wrap:anywhere}
            .badge{width:3.5rem;height:3.5rem;margin:0 0 1.25rem;border-radius:1rem;display:flex;align-items:center;\
            justify-content:center;font-size:1.75rem;font-weight:700;background:var(--accent);color:var(--on-accent);\
            border:1px solid var(--border)}
            .logo{display:block;max-width:100%;height:3.5rem;margin:0 0 1.25rem;object-fit:contain;\
            object-position:0 50%}
            [dir=rtl] .logo{object-position:100% 50%}
            h1{margin:0;font-size:1.75rem;line-height:1.2;font-weight:700}
            p{margin:.75rem 0}
            ul{list-style:none;margin:1.75rem 0;padding:0}
            li+li{margin-top:.75rem}
            .quiet{color:var(--quiet);font-size:.9375rem}
            a{color:inherit}
            .button{display:flex;align-items:center;justify-content:center;gap:.75rem;min-height:3rem;\
            padding:.625rem 1rem;border:1px solid var(--border);border-radius:.75rem;font-weight:600;\
            text-align:center;text-decoration:none}
            .button svg{flex:none;width:1.5rem;height:1.5rem}
            .button:hover span,.link:hover{text-decoration:underline;text-decoration-thickness:.125em}
            .apple{background:var(--apple);color:var(--on-apple)}
            .google{background:var(--google);color:var(--on-google)}
            .neutral{background:var(--back);color:var(--text)}
            .link{display:inline-flex;align-items:center;min-height:2.75rem;min-width:2.75rem;\
            text-underline-offset:.2em}
            a:focus-visible,button:focus-visible,input:focus-visible{outline:3px solid var(--text);outline-offset:3px}
            """ + Self.forms
    }

    /// The source expression for the content security policy (CSP Level 3 section 2.3.1).
    var hash: String {
        "sha256-\(StandardBase64.encode(SHA256.digest(Array(text.utf8))))"
    }

    private static func variables(_ palette: Palette) -> String {
        [
            ("back", palette.background), ("text", palette.text), ("quiet", palette.quietText),
            ("apple", palette.appleBackground), ("on-apple", palette.appleText),
            ("google", palette.googleBackground), ("on-google", palette.googleText), ("border", palette.border),
        ].map { "--\($0.0):\($0.1.text)" }.joined(separator: ";")
    }
}
