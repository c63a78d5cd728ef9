import AggregatorCore

/// Names for files, made of what records are called: any text becomes a name that is safe in every folder of every system.
public struct PictureName: Sendable, Hashable, CustomStringConvertible {
  /// The name without its ending: never empty, never hidden, never longer than 120 bytes, one part of a path and no more.
  public let description: String

  /// A name made of the first of `texts` that says anything.
  ///
  /// What leads elsewhere (`/`, `..`, NUL), what terminals obey and what some systems forbid is replaced.
  public init(_ texts: String?...) { self.init(texts) }

  init(_ texts: [String?]) {
    description = texts.lazy.compactMap { $0 }.map(Self.safe).first { !$0.isEmpty } ?? "picture"
  }

  private init(safe description: String) { self.description = description }

  /// The same name with a number, for another file.
  func numbered(_ number: Int) -> PictureName { number == 1 ? self : PictureName(safe: "\(description)-\(number)") }

  private static let most = 120

  private static func safe(_ text: String) -> String {
    var name = ""
    for scalar in Printable.clean(text).unicodeScalars {
      if scalar.properties.isWhitespace {
        if name.unicodeScalars.last != " " { name.unicodeScalars.append(" ") }
      } else if #"/\:*?"<>|"#.unicodeScalars.contains(scalar) {
        if name.unicodeScalars.last != "-" { name.unicodeScalars.append("-") }
      } else if isVisible(scalar) {
        name.unicodeScalars.append(scalar)
      }
    }
    name = trimmed(cut(trimmed(name)))
    return isReserved(name) ? name + "_" : name
  }

  /// Characters of which nothing shows hide one name in another.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Without what would hide it or look like an option at its beginning, and what Windows drops from its end.
  private static func trimmed(_ name: String) -> String {
    let kept = name.drop { " .-~".contains($0) }
    return String(kept.reversed().drop { " .-".contains($0) }.reversed())
  }

  /// As much as fits, cut between characters; one with very many marks is cut inside.
  private static func cut(_ name: String) -> String {
    guard name.utf8.count > most else { return name }
    var kept = ""
    for character in name {
      guard kept.utf8.count + character.utf8.count <= most else { break }
      kept.append(character)
    }
    if !kept.isEmpty { return kept }
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars.prefix(most / 4) { scalars.append(scalar) }
    return String(scalars)
  }

  /// What Windows keeps for devices, whatever follows a dot.
  private static func isReserved(_ name: String) -> Bool {
    let stem = name.lowercased().prefix { $0 != "." }.trimmingSpaces
    if ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(stem) { return true }
    return stem.count == 4 && (stem.hasPrefix("com") || stem.hasPrefix("lpt")) && "0123456789¹²³".contains(stem.suffix(1))
  }
}
