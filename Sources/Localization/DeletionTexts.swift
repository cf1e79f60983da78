package import Tenants

/// The texts about deleting an account in one language, named as in ``DeletionText``.
package struct DeletionTexts: Sendable {
    package var title: String
    /// What goes with the account.
    package var explanation: String
    package var ask: String
    /// Of the page that asks once more.
    package var question: String
    package var confirm: String
    package var back: String
    /// Of the page afterwards.
    package var begunTitle: String
    package var begun: String
    package var receipt: String
}

extension DeletionTexts: WrittenTexts {
    package static var own: KeyPath<PageTexts.Language, [DeletionText: String]> { \.deletion }

    package static func builtIn(_ language: PageLanguage.BuiltIn) -> DeletionTexts {
        switch language {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }

    package static func property(_ name: DeletionText) -> WritableKeyPath<DeletionTexts, String> {
        switch name {
        case .title: \.title
        case .explanation: \.explanation
        case .ask: \.ask
        case .question: \.question
        case .confirm: \.confirm
        case .back: \.back
        case .begunTitle: \.begunTitle
        case .begun: \.begun
        case .receipt: \.receipt
        }
    }
}

extension DeletionTexts {
    private static let english = DeletionTexts(
        title: "Delete account",
        explanation: "Your account, your sign-ins on all devices and your passkeys are deleted for good.",
        ask: "Delete account …",
        question: "Do you want to delete your account? This cannot be undone.",
        confirm: "Delete my account for good",
        back: "Keep my account",
        begunTitle: "Your account is being deleted",
        begun: "You are signed out on all devices. What remains to be done is done without you.",
        receipt: "Receipt:"
    )

    private static let german = DeletionTexts(
        title: "Konto löschen",
        explanation: "Ihr Konto, Ihre Anmeldungen auf allen Geräten und Ihre Passkeys werden endgültig gelöscht.",
        ask: "Konto löschen …",
        question: "Möchten Sie Ihr Konto löschen? Das kann nicht rückgängig gemacht werden.",
        confirm: "Mein Konto endgültig löschen",
        back: "Mein Konto behalten",
        begunTitle: "Ihr Konto wird gelöscht",
        begun: "Sie sind auf allen Geräten abgemeldet. Was noch zu tun ist, geschieht ohne Sie.",
        receipt: "Beleg:"
    )

    private static let spanish = DeletionTexts(
        title: "Eliminar la cuenta",
        explanation:
            "Su cuenta, sus sesiones en todos los dispositivos y sus llaves de acceso se eliminan para siempre.",
        ask: "Eliminar la cuenta…",
        question: "¿Quiere eliminar su cuenta? No se puede deshacer.",
        confirm: "Eliminar mi cuenta para siempre",
        back: "Conservar mi cuenta",
        begunTitle: "Su cuenta se está eliminando",
        begun: "Se ha cerrado la sesión en todos los dispositivos. Lo que falta se hace sin usted.",
        receipt: "Comprobante:"
    )

    private static let french = DeletionTexts(
        title: "Supprimer le compte",
        explanation:
            "Votre compte, vos sessions sur tous les appareils et vos clés d’accès sont supprimés définitivement.",
        ask: "Supprimer le compte…",
        question: "Voulez-vous supprimer votre compte ? Cette action est irréversible.",
        confirm: "Supprimer définitivement mon compte",
        back: "Garder mon compte",
        begunTitle: "Votre compte est en cours de suppression",
        begun: "Vous êtes déconnecté de tous les appareils. Le reste se fait sans vous.",
        receipt: "Reçu :"
    )

    private static let japanese = DeletionTexts(
        title: "アカウントの削除",
        explanation: "アカウント、すべてのデバイスのサインイン、パスキーが完全に削除されます。",
        ask: "アカウントを削除…",
        question: "アカウントを削除しますか？この操作は取り消せません。",
        confirm: "アカウントを完全に削除する",
        back: "アカウントを残す",
        begunTitle: "アカウントを削除しています",
        begun: "すべてのデバイスからサインアウトしました。残りの処理は自動的に行われます。",
        receipt: "受付番号："
    )
}
