import Localization

/// The part of the sign-in page for somebody who has a session at the issuer: a button that goes on with it. It works
/// without scripts.
struct ContinueForm: Sendable {
    /// The field that names the sign-in under way.
    static let field = "sign_in"

    /// The sign-in under way: nobody but the page of the browser that began it knows it.
    let state: String
    /// Who is signed in: a name or an address; nil if neither is known.
    let name: String?
    /// Of the authorization endpoint.
    let path: String
    /// Where the form leads on to.
    let target: String

    func html(_ texts: SignInTexts) -> String {
        let label =
            name.map { FilledText.html(texts.continueAs, html: "<bdi>\(HTMLText.escaped($0))</bdi>") }
            ?? HTMLText.escaped(texts.goOn)
        return """
            <form method="post" action="\(HTMLText.escaped(PagePath.encoded(path)))">\
            <input type="hidden" name="\(Self.field)" value="\(HTMLText.escaped(state))">\
            <button class="button"><span>\(label)</span></button></form>
            <p class="quiet">\(HTMLText.escaped(texts.otherAccountBelow))</p>
            """
    }
}
