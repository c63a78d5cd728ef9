/// What somebody can do about an error or a notice, in a few shapes, each of which a face says in its own terms: the command says
/// `type 'aggregator heroes sync' to store them again`, a server might say `GET /api/heroes/sync`.
///
/// A purpose is a clause that stands behind, such as `to find one` or `if you trust it`; it may be empty.
public indirect enum Remedy: Sendable, Hashable {
  /// Ask for something else.
  case ask(Call, String)
  /// Ask again with one of these parameters.
  case give([Parameter], String)
  /// Ask again with a longer time for this parameter.
  case lengthen(String)
  /// Ask again without this parameter.
  case omit(String, String)
  /// Give these settings a value.
  case set([String], String = "")
  /// See whether a setting is right; nil where nobody knows which.
  case check(String?)
  /// In words that hold for every face.
  case advice(String)
  /// Any of these.
  case either([Remedy])

  /// What a face says of a remedy, for an error of that source; nil where it has no use for it.
  public typealias Wording = @Sendable (Remedy, _ source: String?) -> String?

  /// Something that can be asked for.
  public struct Call: Sendable, Hashable {
    /// What is done, such as `sync`.
    public var verb: String
    /// Which source does it; nil is the one of the error.
    public var source: String?
    /// Whether a source does it, and not the program.
    public var isOfSource = true
    /// What it is done to. What stands in capitals, such as `TEXT`, somebody fills in.
    public var subjects: [String]
    /// On which terms.
    public var parameters: [Parameter]

    /// A verb of a source.
    public init(_ verb: String, _ subjects: String..., of source: String? = nil, with parameters: [Parameter] = []) {
      (self.verb, self.subjects, self.source, self.parameters) = (verb, subjects, source, parameters)
    }

    /// What the program does; to the source of the error, where it has no other subject.
    public init(ofProgram verb: String, _ subjects: String...) {
      (self.verb, self.subjects, parameters, isOfSource) = (verb, subjects, [], false)
    }
  }

  /// A parameter of an ask, and what to give it; nil of one that takes nothing.
  public struct Parameter: Sendable, Hashable {
    /// What it is called, such as `limit`.
    public var name: String
    /// What to give it. What stands in capitals, such as `N`, somebody fills in.
    public var value: String?

    /// A parameter by its name.
    public init(_ name: String, _ value: String? = nil) { (self.name, self.value) = (name, value) }
  }
}

extension Remedy: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) { self = .advice(text) }
}

extension Remedy.Call: ExpressibleByStringLiteral {
  public init(stringLiteral verb: String) { self.init(verb) }
}

extension Remedy.Parameter: ExpressibleByStringLiteral {
  public init(stringLiteral name: String) { self.init(name) }
}

extension Remedy {
  /// This one or the other.
  public func or(_ other: Remedy) -> Remedy { .either([self, other]) }

  /// Begin to read on at the first record again.
  public static let startAgain = Remedy.ask("reset", "to start again")
  /// Read on at the service, for a list that grows by it.
  public static let readOn = Remedy.ask(Call("next", with: [Parameter("limit", "N")]), "to fetch more")
  /// Compare the description of the source with what the service answers.
  public static let checkDescription = Remedy.ask(Call(ofProgram: "source check"), "")
  /// Have it stored in another place.
  public static let useAnotherStore = Remedy.give([Parameter("store", "PLACE")], "to use another store")

  /// Set an address; the environment may have one that is wrong.
  public static func setAddress(_ name: String) -> Remedy { "set \(name) to an address such as https://example.com/" }

  /// Let the file that describes that source, or that file, use what it asks for.
  public static func allow(_ name: String) -> Remedy { .ask(Call(ofProgram: "source allow", name), "if you trust it") }

  /// The key file of that path counts as trusted once a person names it.
  public static func trust(keyFile path: String) -> Remedy {
    .give([Parameter("config", path)], "if you trust that file")
  }

  /// The file holds records of that source.
  public static func importInto(_ source: String) -> Remedy {
    .ask(Call(ofProgram: "import", source, "FILE"), "to store them")
  }
}

extension Remedy: CustomStringConvertible {
  /// In words that name no face.
  public var description: String {
    switch self {
    case .ask(let call, let purpose):
      "use \(([call.verb] + call.subjects + call.parameters.map(\.description)).joined(separator: " "))\(Self.behind(purpose))"
    case .give(let parameters, let purpose):
      "give \(parameters.map(\.description).joined(separator: " or "))\(Self.behind(purpose))"
    case .lengthen(let name): "give a longer \(name)"
    case .omit(let name, let purpose): "omit \(name)\(Self.behind(purpose))"
    case .set(let names, let purpose): "set \(names.joined(separator: " and "))\(Self.behind(purpose))"
    case .check(let name?): "check \(name)"
    case .check(nil): "check which address is asked"
    case .advice(let text): text
    case .either(let remedies): remedies.map(\.description).joined(separator: ", or ")
    }
  }

  /// A purpose as it stands behind what is to be done.
  public static func behind(_ purpose: String) -> String { purpose.isEmpty ? "" : " \(purpose)" }
}

extension Remedy.Parameter: CustomStringConvertible {
  /// `limit=N`, or the name alone.
  public var description: String { value.map { "\(name)=\($0)" } ?? name }
}

extension Remedy {
  /// The same with its words changed.
  package func rewording(_ change: (String) -> String) -> Remedy {
    switch self {
    case .advice(let text): .advice(change(text))
    case .either(let remedies): .either(remedies.map { $0.rewording(change) })
    default: self
    }
  }
}

// MARK: - Errors in the words of a face

extension SourceError {
  /// The same with every remedy, also of the sources that could not stand in, in a face's own words; nil of one that it has no use for.
  public func worded(_ words: Remedy.Wording) -> SourceError {
    changing(self) { error in
      error.remedy = remedy.flatMap { words($0, source) }.map { .advice($0) }
      error.others = others.map { $0.worded(words) }
    }
  }
}
