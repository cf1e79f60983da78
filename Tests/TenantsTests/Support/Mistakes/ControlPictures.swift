/// Control characters are written as their pictures, which everyone sees and no editor changes: ␉ (U+2409) is a tab, ␁
/// (U+2401) is U+0001.
enum ControlPictures {
    static func decoded(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { picture in
                    (0x2400...0x241f).contains(picture.value)
                        ? Unicode.Scalar(UInt8(picture.value - 0x2400)) : picture
                }
            )
        )
    }
}
