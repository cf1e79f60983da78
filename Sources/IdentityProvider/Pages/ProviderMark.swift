import Tenants

extension SignIn.Provider {
    /// A drawing beside the name, in the text's colour; hidden from screen readers.
    var mark: String {
        let drawing =
            switch self {
            // Two lobes with a bite at the right, and a leaf.
            case .apple:
                #"<path fill="currentColor" d="M12 7.3c1.1-.6 2.3-1.1 3.8-1.1 1.8 0 3.3.8 4.3 2.2-1.8 1.1"#
                    + #"-2.6 2.6-2.6 4.2 0 1.9 1.1 3.5 2.9 4.2-.8 2.5-2.7 5.2-4.6 5.2-1.3 0-1.9-.7-3.5-.7s-2.2.7-3.5.7"#
                    + #"C6.2 22 3.4 17.5 3.4 13 3.4 8.9 5.8 6.2 8.6 6.2c1.3 0 2.4.5 3.4 1.1z"/>"#
                    + #"<path fill="currentColor" d="M15.7 1.4c.2 2-1.6 4.1-3.8 4.1-.2-2 1.6-3.9 3.8-4.1z"/>"#
            // A key: its ring, its shaft and two teeth.
            case .named:
                #"<circle cx="7" cy="12" r="4.5" fill="none" stroke="currentColor" stroke-width="2.5"/>"#
                    + #"<path fill="none" stroke="currentColor" stroke-width="2.5" d="M11.5 12H22M17.5 12v4M21 12v3"/>"#
            // A ring, open at the upper right, and its bar.
            case .google:
                #"<path fill="none" stroke="currentColor" stroke-width="3""#
                    + #" d="M18.4 6.4A8.4 8.4 0 1 0 20.4 12H12.5"/>"#
            }
        return
            #"<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">\#(drawing)</svg>"#
    }
}
