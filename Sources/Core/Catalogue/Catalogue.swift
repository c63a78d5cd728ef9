/// The sources that a command or an app offers, by name.
public struct Catalogue: Sendable {
  /// The sources in the order in which they are listed.
  public private(set) var sources: [SourceDescriptor]
  /// The built-in sources that a person removed.
  public private(set) var hidden: [SourceDescriptor] = []
  /// The sources from files that are left out.
  public private(set) var omissions: [Omission] = []

  /// The reason why a source or a file is left out of a catalogue, or why a name stands for another source there.
  public struct Omission: Sendable, Hashable {
    /// The name that is refused, or that another source has; nil if a whole file cannot be used.
    public let name: String?
    /// The problem, and the file that has it.
    public let reason: SourceError
    /// The path of a file that cannot be read, whose sources are unknown; nil for others.
    public let file: String?

    /// A source or a file that is left out.
    public init(_ name: String? = nil, _ reason: SourceError, in file: String? = nil) {
      (self.name, self.reason, self.file) = (name, reason, file)
    }
  }

  /// An empty catalogue.
  public init() { sources = [] }

  /// Returns the catalogue with sources that files describe, whose names have been checked, and with those that are left out.
  package func adding(_ more: [SourceDescriptor], without omissions: [Omission] = []) -> Catalogue {
    copy(of: self) { ($0.sources, $0.omissions) = ($0.sources + more, $0.omissions + omissions) }
  }

  /// Returns the catalogue without the built-in sources of these names, which can be brought back.
  package func hiding(_ names: Set<String>) -> Catalogue {
    guard !names.isEmpty else { return self }
    return copy(of: self) { catalogue in
      catalogue.hidden = builtIn.filter { names.contains($0.name) }
      catalogue.sources.removeAll { $0.file == nil && names.contains($0.name) }
    }
  }

  /// The sources that are not described by a file, including hidden ones.
  package var builtIn: [SourceDescriptor] { (sources + hidden).filter { $0.file == nil } }

  /// Returns why `name` is not in the catalogue, or is not the source that a file describes; nil if it is.
  public func omission(of name: String) -> Omission? { omissions.first { $0.name == name } }

  /// A catalogue of these sources. Throws for a name that is used twice, is in `reserved`, cannot be typed, or cannot be used in a store.
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

  package static func isTypable(_ name: String) -> Bool {
    name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
  }

  /// The words of addresses over HTTP below which a source of that name could not be reached. A test compares them with the addresses.
  package static let addresses: Set<String> = ["api", "jobs", "problems"]

  /// Returns why no source can have that name, in a store or over HTTP; nil if one can.
  package static func refusal(of name: String) -> SourceError? {
    let isAddress = addresses.contains(name)
    return (RecordKind.unusableNames[name] ?? (isAddress ? "an address over HTTP has that name" : nil)).map {
      SourceError(.settings, "a source cannot be named \"\(name)\": \($0)", remedy: "give it another name")
    }
  }

  /// The source with that name; nil if the catalogue lacks it.
  public subscript(name: String) -> SourceDescriptor? { sources.first { $0.name == name } }

  /// Every setting of every source, each once. A setting is secret if one of the sources says so.
  public var settings: [Setting] { Settings.unique(sources.flatMap(\.settings)) }
}
