import Issuing
import Logging
import Store
import Tenants

/// The tenants' own issuers.
struct OwnIssuers: Sendable {
    /// By the tenant's place in the configuration; nil for one without an issuer, or whose keys are not on disk.
    let books: [SessionBook?]
    /// Who signs with the keys of which directory.
    private let mints: [(directory: String, mint: TokenMint)]
    private let logger: Logger

    init(_ tenants: [Tenant], store: any Store, files: any FileReading, logger: Logger) {
        var mints: [(directory: String, mint: TokenMint)] = []
        books = tenants.map { tenant in
            guard let issuer = tenant.issuer, let path = issuer.keysDirectory else { return nil }
            let rules = IssuerRules(issuer, tenant: tenant.name)
            let directory = SigningKeyDirectory(path: path, algorithm: issuer.algorithm, files: files)
            let mint = TokenMint(algorithm: issuer.algorithm, directory: directory)
            mints.append((path, mint))
            return SessionBook(rules, store: store, mint: mint, logger: logger)
        }
        self.mints = mints
        self.logger = logger
    }

    /// The files of a directory have changed, and every verifier knows what is in them now.
    func keysChanged(in directory: String) async {
        for (path, mint) in mints where path == directory {
            do throws(SigningProblem) {
                try await mint.reload()
            } catch .noKey {
                // There were none before either, or they were taken away: what signed goes on.
            } catch {
                logger.error("tokens are signed with the keys of before", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Ends a session at its issuer, if it is one's. What cannot be done now does no harm: its tokens are revoked, and
    /// get no new ones.
    ///
    /// - Parameter now: Unix seconds.
    func end(_ sessionID: String?, ofTenant tenant: Int, at now: Double) async {
        guard let sessionID, let book = books[tenant] else { return }
        try? await book.end(sessionID: sessionID, at: now)
    }
}
