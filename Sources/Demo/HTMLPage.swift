import HTTPTypes
import Hummingbird

/// A page of a sample app or of the stand-in: a narrow column with one card.
enum HTMLPage {
    /// - Parameter content: HTML, in which all that was sent or configured is ``escaped(_:)``.
    static func response(_ status: HTTPResponse.Status, title: String, content: String) -> Response {
        let html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <title>\(escaped(title))</title>
            <style>\(style)</style>
            </head>
            <body>
            <main>
            <h1>\(escaped(title))</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        return Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static let style = """
        :root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif;
            --accent: light-dark(#0b6b5c, #5fd0ba); --edge: light-dark(#7d8d87, #6d7f78);
            --surface: light-dark(#ffffff, #161e1b) }
        * { box-sizing: border-box }
        body { margin: 0; padding: 16px; min-block-size: 100dvh; display: grid; place-items: center;
            background: light-dark(#f3f6f5, #0e1412); color: light-dark(#16201d, #e8efec) }
        main { inline-size: min(26rem, 100%); padding: 28px; border-radius: 16px; background: var(--surface);
            border: 1px solid light-dark(#d8e0dd, #2b3834) }
        h1 { margin: 0 0 12px; font-size: 1.4rem; line-height: 1.25 }
        p { margin: 0 0 12px; overflow-wrap: anywhere }
        dl { margin: 0 0 16px; display: grid; gap: 2px }
        dt { color: light-dark(#51615b, #9fb1aa); font-size: 0.85rem }
        dd { margin: 0 0 6px; overflow-wrap: anywhere; font-family: ui-monospace, monospace }
        a { color: var(--accent) }
        button, .button { display: block; font: inherit; font-weight: 600; inline-size: 100%; padding: 12px;
            margin-block: 8px; border-radius: 10px; border: 1px solid var(--edge); background: var(--surface);
            color: inherit; text-align: center; text-decoration: none; cursor: pointer }
        .primary { background: var(--accent); border-color: var(--accent); color: light-dark(#ffffff, #05201b) }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
        """
}
