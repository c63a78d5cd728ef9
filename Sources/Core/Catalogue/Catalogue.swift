/// The sources that a command or an app offers, by name.
public struct Catalogue: Sendable {
  /// In the order in which they are listed.
  public private(set) var sources: [SourceDescriptor]
  /// The built-in sources that a person does not want.
  public private(set) var hidden: [SourceDescriptor] = []
  /// What files describe and is not among them.
  public private(set) var omissions: [Omission] = []

  /// Why something is not in a catalogue, or not what its name stands for there.
  public struct Omission: Sendable, Hashable {
    /// The name that is refused, or that another source has; nil where a whole file cannot be used.
    public let name: String?
    /// What is wrong, and with which file.
    public let reason: SourceError

    /// A source that is left out, or a file.
    public init(_ name: String? = nil, _ reason: SourceError) { (self.name, self.reason) = (name, reason) }
  }

  /// A catalogue without a source.
  public init() { sources = [] }

  /// The same with sources that files describe, whose names were looked at, and with what is left out of those.
  package func adding(_ more: [SourceDescriptor], without omissions: [Omission] = []) -> Catalogue {
    changing(self) { ($0.sources, $0.omissions) = ($0.sources + more, $0.omissions + omissions) }
  }

  /// The same without the built-in sources of these names, which can be brought back.
  package func hiding(_ names: Set<String>) -> Catalogue {
    guard !names.isEmpty else { return self }
    return changing(self) { catalogue in
      catalogue.hidden = builtIn.filter { names.contains($0.name) }
      catalogue.sources.removeAll { $0.file == nil && names.contains($0.name) }
    }
  }

  /// The sources that no file describes, the hidden ones too.
  package var builtIn: [SourceDescriptor] { (sources + hidden).filter { $0.file == nil } }

  /// Why `name` is not in it, or not what a file says.
  public func omission(of name: String) -> Omission? { omissions.first { $0.name == name } }

  /// Refuses a name that is taken, that is one of `reserved`, or that cannot be typed.
  public init(_ sources: [SourceDescriptor], reserved: Set<String> = []) throws {
    var names: Set<String> = []
    for name in sources.map(\.name) {
      guard Self.isTypable(name) else {
        throw SourceError(
          .settings, "\"\(name)\" is not a valid name for a source", remedy: "use lower-case letters, digits and dashes")
      }
      if let refusal = Self.refusal(of: name) { throw refusal }
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

  /// Whether a source can be called so.
  package static func isTypable(_ name: String) -> Bool {
    name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
  }

  /// Why no store can have records of a source that is called so; nil where one can.
  package static func refusal(of name: String) -> SourceError? {
    RecordKind.unusableNames[name].map {
      SourceError(.settings, "a source cannot be named \"\(name)\": \($0)", remedy: "give it another name")
    }
  }

  /// The source of that name; nil where there is none.
  public subscript(name: String) -> SourceDescriptor? { sources.first { $0.name == name } }

  /// Every setting of every source, each once; it is a secret if one of them says so.
  public var settings: [Setting] { Settings.unique(sources.flatMap(\.settings)) }
}
