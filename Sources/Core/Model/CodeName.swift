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
  // Bytes, since every start looks at the names of some fields. A letter beyond ASCII is in no word that means a code.
  private static func words(of name: String) -> [String] {
    var (words, word, wasLower) = ([String](), [UInt8](), false)
    func end() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll()
    }
    for byte in name.utf8 {
      let (isUpper, isLower) = (byte &- 0x41 < 26, byte &- 0x61 < 26 || byte >= 0x80)
      if isUpper ? wasLower : !isLower { end() }
      if isUpper || isLower { word.append(isUpper ? byte | 0x20 : byte) }
      wasLower = isLower
    }
    end()
    return words
  }
}
