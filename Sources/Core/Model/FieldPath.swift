/// The way to a value in a record: the name of its field, then those of the parts it lies in. Empty for the whole.
///
///     FieldPath(["name", "first"]).text      // name.first
///     FieldPath(["address.city"]).text       // address\.city
public struct FieldPath: Sendable, Hashable {
  /// From the outermost part inwards; empty for the whole.
  public var names: [String]

  /// The way through these names.
  public init(_ names: [String] = []) { self.names = names }

  /// The way to what is called so inside.
  public func appending(_ name: String) -> FieldPath { FieldPath(names + [name]) }

  /// How a person writes and reads it: the names with dots between them. Inside a name a backslash stands before a dot, a comma, a
  /// backslash and a blank at either end, so that no two paths are written alike.
  public var text: String { names.map(Self.spelled).joined(separator: ".") }

  /// The names with dots between them and nothing else, which another path may have too.
  var plainText: String { names.joined(separator: ".") }

  private static func spelled(_ name: String) -> String {
    // Hardly any name needs it.
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

  /// The pieces of `text` between separators that no backslash escapes. By scalars: a mark would be one character with the separator.
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

  /// The paths in a list with commas between them, each as it is written there.
  package static func texts(in list: String) -> [String] { pieces(of: list, between: ",").map(trimmed).filter { !$0.isEmpty } }

  /// A path as it is written, without the blanks around it.
  package static func trimmed(_ text: String) -> String {
    let trimmed = text.trimmingSpaces
    let isEscaped = trimmed.utf8.reversed().prefix { $0 == Byte.backslash }.count % 2 == 1
    return isEscaped ? trimmed + " " : trimmed
  }
}

extension FieldPath: CustomStringConvertible {
  public var description: String { names.isEmpty ? "the document itself" : text }
}

extension FieldPath: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text: text) }

  /// The path that is written so.
  public init(text: String) {
    // Hardly any is written with an escape, and some are read for each row.
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
  /// What lies behind `names` in an object; null where nothing does.
  public func value(at names: ArraySlice<String>) -> Value {
    names.reduce(self) { $0[$1] ?? .null }
  }
}
