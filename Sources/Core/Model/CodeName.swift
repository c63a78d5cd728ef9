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
    "mac",
    "mpn", "no", "nr", "number", "ref", "reference", "serial", "sku", "tel", "upc", "username", "vat", "vin",
  ]

  /// The words of `orderNumber`, `order_number` and `OrderID`, in lower case.
  private static func words(of name: String) -> [String] {
    var (words, word, wasLower) = ([String](), "", false)
    for letter in name {
      let isUpper = letter.isUppercase
      if !letter.isLetter || isUpper && wasLower {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if letter.isLetter { word += letter.lowercased() }
      wasLower = letter.isLetter && !isUpper
    }
    return word.isEmpty ? words : words + [word]
  }
}
