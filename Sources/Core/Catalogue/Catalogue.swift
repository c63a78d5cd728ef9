/// The sources that a command or an app offers, by name.
public struct Catalogue: Sendable {
  /// In the order in which they are listed.
  public let sources: [SourceDescriptor]

  /// A catalogue without a source.
  public init() { sources = [] }

  /// Refuses a name that is taken, that is one of `reserved`, or that cannot be typed.
  public init(_ sources: [SourceDescriptor], reserved: Set<String> = []) throws {
    var names: Set<String> = []
    for source in sources {
      let name = source.name
      let isTypable =
        name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
      guard isTypable else {
        throw SourceError(
          .settings, "\"\(name)\" is not a valid name for a source", remedy: "use lower-case letters, digits and dashes")
      }
      guard !reserved.contains(name) else {
        throw SourceError(
          .settings, "a source cannot be named \"\(name)\": a command has that name", remedy: "give it another name")
      }
      guard names.insert(name).inserted else {
        throw SourceError(.settings, "two sources are named \"\(name)\"", remedy: "give one of them another name")
      }
    }
    self.sources = sources
  }

  /// The source of that name; nil where there is none.
  public subscript(name: String) -> SourceDescriptor? { sources.first { $0.name == name } }

  /// Every setting of every source, each once.
  public var settings: [Setting] {
    var names: Set<String> = []
    return sources.flatMap(\.settings).filter { names.insert($0.name).inserted }
  }
}
