import Localization

/// What a form or the script of the account page asks for.
enum AccountAction: String, Sendable, CaseIterable {
    case signOut = "sign_out"
    case signOutOthers = "sign_out_others"
    case unlink
    case renamePasskey = "rename_passkey"
    case removePasskey = "remove_passkey"
    /// By the page, and by that which asks once more.
    case askDeletion = "ask_deletion"
    case deleteAccount = "delete_account"
    /// Both by the script, which takes JSON.
    case beginPasskey = "begin_passkey"
    case addPasskey = "add_passkey"

    var removesWayIn: Bool { self == .unlink || self == .removePasskey }
    var takesJSON: Bool { self == .beginPasskey || self == .addPasskey }
}

/// What the account page says was done, or why it was not: a word in the page's URL, so that nothing is done again when
/// it is loaded again.
enum AccountNotice: String, Error, Sendable, CaseIterable {
    case signedOut = "signed_out"
    case sessionEnded = "session_ended"
    case othersEnded = "others_ended"
    case unlinked
    case renamed
    case removed
    case added

    case outdated
    case notThere = "gone"
    case lastWayIn = "last_way_in"
    case tooManyPasskeys = "too_many"
    case refused
    case decidedElsewhere = "decided_elsewhere"
    case signInAgain = "sign_in_again"
    case unavailable

    /// Parameter of the page's query.
    static let parameter = "notice"

    func text(_ texts: AccountTexts) -> String {
        switch self {
        case .signedOut: texts.signedOut
        case .sessionEnded: texts.sessionEnded
        case .othersEnded: texts.othersEnded
        case .unlinked: texts.loginUnlinked
        case .renamed: texts.passkeyRenamed
        case .removed: texts.passkeyRemoved
        case .added: texts.passkeyAdded
        case .outdated: texts.outdated
        case .notThere: texts.notThere
        case .lastWayIn: texts.lastWayIn
        case .tooManyPasskeys: texts.tooManyPasskeys
        case .refused: texts.passkeyRefused
        case .decidedElsewhere: texts.decidedElsewhere
        case .signInAgain: texts.signInAgain
        case .unavailable: texts.unavailable
        }
    }

    /// Of a response to the script.
    var status: Int {
        switch self {
        case .signedOut, .sessionEnded, .othersEnded, .unlinked, .renamed, .removed, .added: 200
        case .outdated, .refused: 400
        case .signInAgain, .decidedElsewhere: 403
        case .notThere: 404
        case .lastWayIn, .tooManyPasskeys: 409
        case .unavailable: 503
        }
    }
}

extension AccountNotice {
    init(_ problem: AccountChangeProblem) {
        self =
            switch problem {
            case .notThere: .notThere
            case .tooManyPasskeys: .tooManyPasskeys
            case .passkeyTaken: .refused
            case .lastWayIn: .lastWayIn
            case .decidedElsewhere: .decidedElsewhere
            case .account: .unavailable
            }
    }

    init(_ error: IssuingError) { self = .unavailable }
}
