package import AggregatorCore

extension BodyKind {
  /// Judges the body of an answer by its content type and its bytes. Nil if it is in none of these formats, such as an HTML page.
  package init?(of body: [UInt8], type: String?) {
    guard let kind = Self.read(body, type: type)?.kind else { return nil }
    self = kind
  }

  /// Judges a body of which nothing is known, and reads it. The document is nil where the body is broken.
  package static func read(_ body: [UInt8], type: String?) -> (kind: BodyKind, document: Value?)? {
    if let json = try? JSON(body), !isOfLines(type) { return (.json, json.value) }
    guard let kind = judged(body, type) else {
      // The description of a service means the same in YAML.
      guard body.isDescription, let value = try? YAMLDocument.value(of: body) else { return nil }
      return (.json, value)
    }
    return (kind, (try? BodyFormat(kind).document(body, type: type))?.json.value.readingNumbers)
  }

  /// True for a content type of rows that may each be a document.
  private static func isOfLines(_ type: String?) -> Bool {
    let type = plain(type)
    return ["ndjson", "x-ndjson", "jsonl", "x-jsonl", "jsonlines", "x-jsonlines"].contains { type == "application/\($0)" }
  }

  private static func plain(_ type: String?) -> String { (type ?? "").prefix { $0 != ";" }.lowercased().trimmingSpaces }

  /// Returns the kind of a body that is not a document of JSON.
  private static func judged(_ body: [UInt8], _ type: String?) -> BodyKind? {
    let first = body.first { $0 > Byte.space && ![0xEF, 0xBB, 0xBF].contains($0) }
    if first == UInt8(ascii: "<") { return body.isHTML ? nil : .xml }
    if isOfLines(type) { return .ndjson }
    switch plain(type) {
    case "text/csv", "application/csv": return .csv
    case "text/tab-separated-values": return .tsv
    case let type where type.hasSuffix("xml") && body.isUTF16: return .xml
    default: return body.kindOfRows
    }
  }
}

extension Value {
  /// The same value with whole numbers, true and false in place of the texts of them, where all texts at one place are such. The values
  /// of csv and XML have no types.
  package var readingNumbers: Value {
    var kinds: [[String]: Set<Kind>] = [:]
    collect(&kinds, at: [])
    return reading(kinds, at: [])
  }

  private enum Kind { case number, bool, other }

  private func collect(_ kinds: inout [[String]: Set<Kind>], at path: [String]) {
    switch self {
    case .text(let text): kinds[path, default: []].insert(Self.kind(of: text))
    case .list(let values): for value in values { value.collect(&kinds, at: path) }
    case .object(let members): for member in members { member.value.collect(&kinds, at: path + [member.name]) }
    default: break
    }
  }

  private static func kind(of text: String) -> Kind {
    if text == "true" || text == "false" { return .bool }
    // A number with zeros before it is a code.
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    let isPlain = digits.count == 1 || digits.first != UInt8(ascii: "0")
    return isPlain && 1...18 ~= digits.count && text.utf8.count - digits.count < 2 && digits.allSatisfy { 0x30...0x39 ~= $0 }
      ? .number : .other
  }

  private func reading(_ kinds: [[String]: Set<Kind>], at path: [String]) -> Value {
    switch self {
    case .text(let text):
      switch kinds[path] {
      case [.number]: return Int(text).map(Value.int) ?? self
      case [.bool]: return .bool(text == "true")
      default: return self
      }
    case .list(let values): return .list(values.map { $0.reading(kinds, at: path) })
    case .object(let members):
      return .object(members.map { Member(name: $0.name, value: $0.value.reading(kinds, at: path + [$0.name])) })
    default: return self
    }
  }
}

extension [UInt8] {
  /// The format of a text of rows, judged by its first two lines; nil if the text has no such rows.
  package var kindOfRows: BodyKind? {
    let text = String(decoding: prefix(1 << 16), as: UTF8.self)
    let lines = text.split(maxSplits: 2, whereSeparator: \.isNewline).prefix(2)
    guard lines.count == 2, let first = lines[0].first(where: { !$0.isWhitespace }) else { return nil }
    // A document that was cut short has commas in its lines too, and so does a web page.
    if "{[<".contains(first) {
      return lines.allSatisfy { (try? JSON(Array($0.utf8)))?.kind == .object } ? .ndjson : nil
    }
    let formats: [(separator: Character, kind: BodyKind)] = [("\t", .tsv), (",", .csv), (";", .csv)]
    return formats.first { format in
      let counts = lines.map { Self.count(of: format.separator, in: $0) }
      return counts[0] > 0 && counts[0] == counts[1]
    }?.kind
  }

  /// Returns the number of separators outside quotes.
  private static func count(of separator: Character, in line: Substring) -> Int {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    return parts.reduce(0) { $1.offset.isMultiple(of: 2) ? $0 + $1.element.count { $0 == separator } : $0 }
  }

  /// True for a web page.
  package var isHTML: Bool {
    let start = String(decoding: prefix(1000), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
    return ["<!doctype html", "<html", "<head", "<body"].contains(where: start.hasPrefix)
  }

  /// True when it begins with a byte-order mark of UTF-16.
  var isUTF16: Bool { starts(with: [0xFF, 0xFE]) || starts(with: [0xFE, 0xFF]) }
}
