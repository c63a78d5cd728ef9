extension HTTPResponse {
  /// The target of the `Link` header with this relation (RFC 8288), as it stands there: `<…?page=2>; rel="next"`.
  public func link(_ relation: String) -> String? {
    headers.lazy.filter { $0.name.lowercased() == "link" }.compactMap { LinkScanner($0.value).target(of: relation) }.first
  }
}

/// Reads links off a header; commas and semicolons within `<…>` and quotes are part of them.
private struct LinkScanner {
  private var rest: Substring

  init(_ header: String) { rest = header[...] }

  func target(of relation: String) -> String? {
    var scanner = self
    while let link = scanner.next() {
      if link.relations.contains(relation.lowercased()) { return link.target }
    }
    return nil
  }

  private mutating func next() -> (target: String, relations: [String])? {
    guard let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") else { return nil }
    let target = String(rest[rest.index(after: open)..<close])
    rest = rest[close...].dropFirst()
    var relations: [String]?
    while let character = rest.first, character != "," {
      rest = rest.dropFirst()
      guard character == ";" else { continue }
      let name = word(until: "=;,").lowercased()
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst()
      let value = word(until: ";,")
      // Of several only the first counts.
      if name == "rel", relations == nil { relations = value.lowercased().split(separator: " ").map(String.init) }
    }
    return (target, relations ?? [])
  }

  private mutating func word(until ends: String) -> String {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    if rest.first == "\"" {
      let word = rest.dropFirst().prefix { $0 != "\"" }
      rest = rest[word.endIndex...].dropFirst()
      return String(word)
    }
    let word = rest.prefix { !ends.contains($0) }
    rest = rest[word.endIndex...]
    return String(word.prefix { $0 != " " && $0 != "\t" })
  }
}
