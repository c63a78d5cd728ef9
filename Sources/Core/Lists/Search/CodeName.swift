/// Recognizes names of fields whose values people know by a part: `email`, `phoneNumber`, `order_no`.
enum CodeName {
  /// True when a word of the name means an address or a phone, or its last word means a number or a code. False for `id`: ids are searched
  /// anyway, and stores that already index them need no new index.
  static func isCode(_ name: String) -> Bool {
    if name == "id" { return false }
    let words = words(of: name)
    return words.contains { contacts.contains(singular($0)) } || words.last.map { codes.contains(singular($0)) } ?? false
  }

  /// The singular of a word: `phone` for `phones`, the name of a list of them.
  private static func singular(_ word: String) -> String {
    word.last == "s" && word.count > 2 && !codes.contains(word) ? String(word.dropLast()) : word
  }

  private static let contacts: Set<String> = ["email", "mail", "phone", "telephone", "mobile", "cell", "fax"]
  private static let codes: Set<String> = [
    "barcode", "code", "ean", "gtin", "handle", "hostname", "iban", "id", "imei", "ip", "ipv", "isbn", "issn", "key", "login",
    "mac", "mpn", "no", "nr", "number", "ref", "reference", "serial", "sku", "tel", "upc", "username", "vat", "vin",
  ]

  /// The words of `orderNumber`, `order_number` and `OrderID`, in lower case.
  // Scalars, since every start looks at the names of some fields, and characters take twenty times as long.
  private static func words(of name: String) -> [String] {
    var (words, word, wasLower) = ([String](), "", false)
    for scalar in name.unicodeScalars {
      let (isASCII, value) = (scalar.isASCII, scalar.value)
      let isUpper = isASCII ? value &- 0x41 < 26 : scalar.properties.isUppercase
      let isLetter = isASCII ? (value | 0x20) &- 0x61 < 26 : isInWords(scalar)
      if !isLetter || isUpper && wasLower {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      // A letter beyond ASCII is in no word that means a code, so that its case does not matter.
      if isLetter { word.unicodeScalars.append(isASCII ? Unicode.Scalar(UInt8(value | 0x20)) : scalar) }
      wasLower = isLetter && !isUpper
    }
    return word.isEmpty ? words : words + [word]
  }

  /// True for a letter, and for a mark on one.
  private static func isInWords(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark
  }
}
