extension UInt8 {
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }

    /// Whether it is a letter, a digit, or one of `others`.
    package func isLetterDigit(or others: String) -> Bool { isLetter || isDigit || others.utf8.contains(self) }
}
