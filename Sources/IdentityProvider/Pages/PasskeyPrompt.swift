import Localization

/// What signs in with a passkey on the hosted page: a field in which browsers offer people's passkeys, and a button.
/// Only the script shows it.
struct PasskeyPrompt: Sendable {
    /// The sign-in under way.
    let state: String
    /// In base64url.
    let challenge: String
    let relyingParty: String
    /// Where the response goes, and the script is.
    let url: String
    let script: String
    /// The page's host and port.
    let authority: String
    let texts: AccountTexts

    var policy: PagePolicy { PagePolicy(script: script, connection: url) }

    var html: String {
        func attribute(_ text: String) -> String { HTMLText.escaped(text) }
        return """
            <div id="passkey" hidden data-purpose="sign-in" data-url="\(attribute(PagePath.encoded(url)))" \
            data-state="\(attribute(state))" data-challenge="\(attribute(challenge))" \
            data-rp="\(attribute(relyingParty))" data-failed="\(attribute(texts.passkeyFailed))">
            <label>\(HTMLText.escaped(texts.choosePasskey))<input type="text" autocomplete="username webauthn"></label>
            <button type="button" class="button"><span>\(HTMLText.escaped(texts.signInWithPasskey))</span></button>
            <p role="status"></p>
            <a class="button" href="#" hidden><span>\(HTMLText.escaped(texts.goOn))</span></a>
            </div>
            """
    }
}
