/// The path to a value in a record: the name of its field, then the names inside nested parts. Empty for the whole record.
///
///     FieldPath(["name", "first"]).text      // name.first
///     FieldPath(["address.city"]).text       // address\.city
public struct FieldPath: Sendable, Hashable {
  /// The names from the outermost part inwards; empty for the whole record.
  public var names: [String]

  /// A path through these names.
  public init(_ names: [String] = []) { self.names = names }

  /// Returns the path to the member `name` inside.
  public func appending(_ name: String) -> FieldPath { FieldPath(names + [name]) }

  /// True when one of the two values is a part of the other, or when they are the same.
  package func overlaps(_ other: FieldPath) -> Bool { names.starts(with: other.names) || other.names.starts(with: names) }

  /// The path as a person writes it: the names with dots between them. Inside a name a backslash comes before a dot, a comma, a backslash,
  /// and a blank at either end, so that two different paths never have the same text.
  public var text: String { names.map(Self.spelled).joined(separator: ".") }

  /// The names with dots between them and without backslashes; two paths may have the same plain text.
  var plainText: String { names.joined(separator: ".") }

  private static func spelled(_ name: String) -> String {
    // Hardly any name needs a backslash.
    guard name.utf8.contains(where: isSpecial) else { return name }
    let last = name.utf8.count - 1
    var spelled: [UInt8] = []
    for (index, byte) in name.utf8.enumerated() {
      let isInside = index > 0 && index < last
      if isSpecial(byte), !(byte == Byte.space && isInside) { spelled.append(Byte.backslash) }
      spelled.append(byte)
    }
    return String(decoding: spelled, as: UTF8.self)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == Byte.point || byte == Byte.comma || byte == Byte.backslash || byte == Byte.space
  }

  /// The non-empty pieces of `text` between separators that no backslash escapes. Compares scalars, because a combining mark after a
  /// separator would form one character with it.
  private static func pieces(of text: String, between separator: Unicode.Scalar) -> [String] {
    var pieces = [""]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == separator, !isEscaped {
        pieces.append("")
      } else {
        pieces[pieces.count - 1].unicodeScalars.append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return pieces.filter { !$0.isEmpty }
  }

  /// The paths in a comma-separated list, each as it is written there.
  package static func texts(in list: String) -> [String] { pieces(of: list, between: ",").map(trimmed).filter { !$0.isEmpty } }

  /// Reads a comma-separated list of paths; nil is a list without paths.
  package static func list(_ text: String?) -> [FieldPath] { texts(in: text ?? "").map { FieldPath(text: $0) } }

  /// Returns the paths with commas between them; nil without paths.
  package static func text(of paths: [FieldPath]) -> String? {
    paths.isEmpty ? nil : paths.map(\.text).joined(separator: ",")
  }

  /// Returns a written path without the blanks around it; an escaped blank at the end stays.
  package static func trimmed(_ text: String) -> String {
    let trimmed = text.trimmingSpaces
    let isEscaped = trimmed.utf8.reversed().prefix { $0 == Byte.backslash }.count % 2 == 1
    return isEscaped ? trimmed + " " : trimmed
  }
}

extension FieldPath: CustomStringConvertible, ExpressibleByStringLiteral {
  public var description: String { names.isEmpty ? "the document itself" : text }

  public init(stringLiteral text: String) { self.init(text: text) }

  /// Reads a path as it is written in ``text``.
  public init(text: String) {
    // Hardly any path has an escape, and some paths are read for each row.
    guard text.utf8.contains(Byte.backslash) else {
      self.init(text.utf8.split(separator: Byte.point).compactMap { String($0) })
      return
    }
    self.init(
      Self.pieces(of: text, between: ".").map { piece in
        var name = ""
        var isEscaped = false
        for scalar in piece.unicodeScalars {
          isEscaped = scalar == "\\" && !isEscaped
          if !isEscaped { name.unicodeScalars.append(scalar) }
        }
        return name
      })
  }
}

extension Value {
  /// Returns the value that `names` lead to through nested objects; null if it is missing.
  public func value(at names: ArraySlice<String>) -> Value {
    names.reduce(self) { $0[$1] ?? .null }
  }
}
