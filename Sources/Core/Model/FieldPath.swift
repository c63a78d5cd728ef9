/// The way to a value in a record: the name of its field, then those of the parts it lies in. Empty for the whole.
///
///     FieldPath(["name", "first"]).text      // name.first
///     FieldPath(["address.city"]).text       // address\.city
public struct FieldPath: Sendable, Hashable {
  public var names: [String]

  public init(_ names: [String] = []) { self.names = names }

  public func appending(_ name: String) -> FieldPath { FieldPath(names + [name]) }

  /// How a person writes and reads it: the names with dots between them. Inside a name a backslash stands before a dot, a comma, a
  /// backslash and a blank at either end, so that no two paths are written alike.
  public var text: String { names.map(Self.spelled).joined(separator: ".") }

  /// The names with dots between them and nothing else, which another path may have too.
  var plainText: String { names.joined(separator: ".") }

  private static func spelled(_ name: String) -> String {
    // Hardly any name needs it.
    guard name.utf8.contains(where: { $0 == Byte.point || $0 == Byte.comma || $0 == Byte.backslash || $0 == Byte.space }) else { return name }
    let last = name.utf8.count - 1
    var spelled: [UInt8] = []
    for (index, byte) in name.utf8.enumerated() {
      let isSpecial = byte == Byte.point || byte == Byte.comma || byte == Byte.backslash || byte == Byte.space && (index == 0 || index == last)
      if isSpecial { spelled.append(Byte.backslash) }
      spelled.append(byte)
    }
    return String(decoding: spelled, as: UTF8.self)
  }

  /// The pieces of `text` between separators, but for those behind a backslash; the backslashes stay.
  private static func pieces(of text: some StringProtocol, between separator: Character) -> [String] {
    var pieces = [""]
    var isEscaped = false
    for character in text {
      if character == separator, !isEscaped {
        pieces.append("")
      } else {
        pieces[pieces.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
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
    self.init(
      Self.pieces(of: text, between: ".").map { piece in
        var name = ""
        var isEscaped = false
        for character in piece {
          isEscaped = character == "\\" && !isEscaped
          if !isEscaped { name.append(character) }
        }
        return name
      })
  }
}

extension Value {
  /// What lies behind `names` in an object; null where nothing does.
  package func value(at names: ArraySlice<String>) -> Value {
    var value = self
    for name in names { value = value[name] ?? .null }
    return value
  }
}
