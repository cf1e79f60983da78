import Store
import Tenants
import Time
import Verification

/// Accounts that their owners delete, and the receipts of that.
extension OwnSessionEndpoints {
    /// Deletes the account of the request's access token, which has to be one of the tenant's own apps.
    ///
    /// A repetition, whose tokens are revoked already, gets the same receipt: the first response may have been lost.
    func deleteAccount(
        _ request: EndpointRequest,
        _ sessions: SessionService
    ) async throws(EndpointRefusal) -> EndpointResponse {
        guard let deletions = context.deletions else { throw .badRequest("accounts are not deleted here") }
        guard let presented = try await countedToken(of: request, sessions)?.token else {
            throw .missing("send an access token")
        }
        // Also in observe mode: it cannot be undone.
        guard presented.cookie == nil || crossSite.allows(request) else { throw .crossSite }
        let principal = try await access(presented, of: request)
        guard let subject = principal.subject else { throw .invalidToken("the token has no subject") }
        guard principal.claims["client_id"] == nil else {
            throw EndpointRefusal(
                .notAllowed,
                status: 403,
                detail: "a client of the issuer deletes nobody's account: its users do that here"
            )
        }
        var given: DeletionReceipt
        do throws(EndpointRefusal) {
            try await refuseEnded(principal, sessions, at: request.now)
            try await refuseOldSignIn(principal, isByCookie: presented.cookie != nil, sessions, at: request.now)
            await context.grants?.settle(subject)
            given = try await mappingErrors(Self.unavailable) { () async throws(StoreError) in
                try await deletions.delete(subject, ofTenant: context.tenant.name, by: request.id)
            }
        } catch  where error.code == .tokenRevoked {
            let found = try await mappingErrors(Self.unavailable) { () async throws(StoreError) in
                try await deletions.latestReceipt(ofSubject: subject, tenant: context.tenant.name)
            }
            guard let found else { throw error }
            given = found
        }
        return response(given, status: 202, clearing: presented.cookie == nil ? [] : cookies.fieldsThatClear(request))
    }

    /// Whoever finds a browser open deletes nobody's account, in whichever field they send its token. An app has its
    /// token for itself, and asks its user.
    private func refuseOldSignIn(
        _ principal: Principal,
        isByCookie: Bool,
        _ sessions: SessionService,
        at now: UnixTime
    ) async throws(EndpointRefusal) {
        guard let id = principal.sessionID else { throw .invalidToken("the token has no session") }
        let session = try await mappingErrors({ EndpointRefusal($0) }) { () async throws(IssuingError) in
            try await sessions.session(id, at: now)
        }
        guard let session, session.isFresh(at: now) || !isByCookie && !session.beganInBrowser else {
            throw EndpointRefusal(
                .notAllowed,
                status: 403,
                detail: "sign in again: with a browser's session an account is deleted within 15 minutes after that"
            )
        }
    }

    /// - Parameter request: Its query has the `id` of a receipt, which is all that its reader needs: there is no session
    ///   any more.
    func showReceipt(_ request: EndpointRequest) async throws(EndpointRefusal) -> EndpointResponse {
        guard let deletions = context.deletions else { throw .badRequest("accounts are not deleted here") }
        guard let id = (try? FormFields(Array((request.query ?? "").utf8)))?["id"] else {
            throw .badRequest("send the receipt's id: ?id=…")
        }
        let found = try await mappingErrors(Self.unavailable) { () async throws(StoreError) in
            try await deletions.receipt(id, ofTenant: context.tenant.name)
        }
        guard let found else {
            throw EndpointRefusal(.badRequest, status: 404, detail: "there is no such receipt, or no longer")
        }
        return response(found, status: 200, clearing: [])
    }

    private func response(
        _ receipt: DeletionReceipt,
        status: Int,
        clearing: [EndpointResponse.Field]
    ) -> EndpointResponse {
        let path = context.tenant.signIn?.deletion?.receiptPath ?? ""
        let location = FormText.url(PagePath.encoded(path), adding: [("id", receipt.id)])
        let fields = status == 202 ? [EndpointResponse.Field("Location", location)] : []
        let subject = status == 202 ? receipt.subject : nil
        return .json(receipt.json, status: status, fields: fields + clearing, subject: subject)
    }

    /// Nothing was acknowledged, and what was put into the store is carried out.
    private static func unavailable(_ error: StoreError) -> EndpointRefusal {
        EndpointRefusal(
            .storeUnavailable,
            status: 503,
            detail: "the account cannot be deleted at the moment: try again",
            retryAfterSeconds: 1
        )
    }
}
