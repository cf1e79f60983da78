public import Hummingbird

/// A page for the people of a company, who sign in with the company's own provider, with Apple, with Google or with a
/// passkey.
///
/// It is below a path of `localhost`: on no other host do browsers make passkeys without TLS.
public enum CompanyApp {
    public static let name = "company"
    public static let path = "/company"
    private static let paths = BrowserPaths(
        signIn: "\(path)/login",
        signOut: "\(path)/logout",
        account: "\(path)/account"
    )

    public static func addRoutes(to router: Router<BasicRequestContext>) {
        router.get("\(path)") { request, _ in HomePage.response(to: request, paths: paths, name: name) }
    }
}
