import Localization
import Store
import Verification

/// The account page's way to delete the account: a button, and a page that asks once more.
extension AccountEndpoints {
    /// The part of the page for it; empty if accounts are not deleted here.
    ///
    /// - Parameter signInURL: Where a new sign-in begins, which it takes after a while.
    func deletionSection(_ visitor: AccountVisitor, signInURL: String, _ request: EndpointRequest) -> String {
        guard context.deletions != nil else { return "" }
        let language = frame.language(of: request)
        let (texts, general) = (DeletionTexts(language), AccountTexts(language))
        let action: String
        if visitor.hasJustSignedIn(at: request.now) {
            action = form(.askDeletion, texts.ask, visitor)
        } else {
            let link =
                "<a class=\"link\" href=\"\(HTMLText.escaped(signInURL))\">\(HTMLText.escaped(general.signIn))</a>"
            action = "<p>\(HTMLText.escaped(general.signInAgain)) \(link)</p>"
        }
        return """
            <h2>\(HTMLText.escaped(texts.title))</h2>
            <p class="quiet">\(HTMLText.escaped(texts.explanation))</p>
            \(action)
            """
    }

    /// The response to one of its two forms; nil for another one, or if accounts are not deleted here.
    func deletion(
        _ action: AccountAction,
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> EndpointResponse? {
        guard action == .askDeletion || action == .deleteAccount, let deletions = context.deletions else { return nil }
        // Whoever finds a browser open deletes nobody's account.
        guard visitor.hasJustSignedIn(at: request.now) else { throw .signInAgain }
        guard action == .deleteAccount else { return question(visitor, request) }
        let receipt = try await mappingErrors({ _ in AccountNotice.unavailable }) { () async throws(StoreError) in
            try await deletions.delete(visitor.account.subject, ofTenant: context.tenant.name, by: request.id)
        }
        return begun(receipt, request)
    }

    private func question(_ visitor: AccountVisitor, _ request: EndpointRequest) -> EndpointResponse {
        let language = frame.language(of: request)
        let texts = DeletionTexts(language)
        let back = HTMLText.escaped(PagePath.encoded(page.description))
        var response = frame.response(
            status: 200,
            title: "\(texts.title) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.title))</h1>
                <p>\(HTMLText.escaped(texts.question))</p>
                <p class="quiet">\(HTMLText.escaped(texts.explanation))</p>
                \(form(.deleteAccount, texts.confirm, visitor))
                <p><a class="link" href="\(back)">\(HTMLText.escaped(texts.back))</a></p>
                """,
            language: language,
            policy: (PagePolicy(form: page.description), request.authority),
            further: visitor.cookies + [PageFrame.ownGroup]
        )
        response.subject = visitor.account.subject
        return response
    }

    /// - Returns: A page, not a redirect to one: there is nobody any more whom another page could be for.
    private func begun(_ receipt: DeletionReceipt, _ request: EndpointRequest) -> EndpointResponse {
        let language = frame.language(of: request)
        let texts = DeletionTexts(language)
        var response = frame.response(
            status: 202,
            title: "\(texts.begunTitle) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.begunTitle))</h1>
                <p>\(HTMLText.escaped(texts.begun))</p>
                <p class="quiet">\(HTMLText.escaped(texts.receipt)) <code>\(HTMLText.escaped(receipt.id))</code></p>
                """,
            language: language,
            further: cookies.fieldsThatClear(request)
        )
        response.subject = receipt.subject
        return response
    }

    private func form(_ action: AccountAction, _ label: String, _ visitor: AccountVisitor) -> String {
        let url = HTMLText.escaped(PagePath.encoded(page.description))
        return """
            <form method="post" action="\(url)"><input type="hidden" name="action" value="\(action.rawValue)">\
            <input type="hidden" name="token" value="\(HTMLText.escaped(visitor.formToken))">\
            <button class="button"><span>\(HTMLText.escaped(label))</span></button></form>
            """
    }
}
