/// A way to deal with an error or a notice, in a few shapes that each face puts into its own words. The command says
/// `type 'aggregator heroes sync' to store them again`; a server might say `GET /api/heroes/sync`.
///
/// A purpose is a clause at the end, such as `to find one` or `if you trust it`; it may be empty.
public indirect enum Remedy: Sendable, Hashable {
  /// Make another request.
  case ask(Call, String)
  /// Make the request again with one of these parameters.
  case give([Parameter], String)
  /// Make the request again with a longer time for this parameter.
  case lengthen(String)
  /// Make the request again without this parameter.
  case omit(String, String)
  /// Give these settings a value.
  case set([String], String = "")
  /// Check whether a setting is right; nil if it is unknown which.
  case check(String?)
  /// Advice in words that fit every face.
  case advice(String)
  /// One of these remedies.
  case either([Remedy])

  /// Words a remedy for an error of that source; returns nil if the face has no use for the remedy.
  public typealias Wording = @Sendable (Remedy, _ source: String?) -> String?

  /// A request that can be made.
  public struct Call: Sendable, Hashable {
    /// The verb, such as `sync`.
    public var verb: String
    /// The source that does it; nil for the source of the error.
    public var source: String?
    /// True when a source does it, and not the program.
    public var isOfSource = true
    /// The objects of the verb. A word in capitals, such as `TEXT`, is filled in by the person.
    public var subjects: [String]
    /// The parameters of the request.
    public var parameters: [Parameter]

    /// A request to a source.
    public init(_ verb: String, _ subjects: String..., of source: String? = nil, with parameters: [Parameter] = []) {
      (self.verb, self.subjects, self.source, self.parameters) = (verb, subjects, source, parameters)
    }

    /// A request to the program; without subjects it is about the source of the error.
    public init(ofProgram verb: String, _ subjects: String...) { self.init(ofProgram: verb, subjects) }

    /// The same about any number of subjects.
    public init(ofProgram verb: String, _ subjects: [String]) {
      (self.verb, self.subjects, parameters, isOfSource) = (verb, subjects, [], false)
    }
  }

  /// A parameter of an ask and its value; nil for a parameter without a value.
  public struct Parameter: Sendable, Hashable {
    /// The name, such as `limit`.
    public var name: String
    /// The value. A word in capitals, such as `N`, is filled in by the person.
    public var value: String?

    /// A parameter with its value, if it takes one.
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
  /// Returns a choice between this remedy and another.
  public func or(_ other: Remedy) -> Remedy { .either([self, other]) }

  /// Reset the source's position, so that it starts at the first record again.
  public static let startAgain = Remedy.ask("reset", "to start again")
  /// Fetch more from the service, for a list that grows by that.
  public static let readOn = Remedy.ask(Call("next", with: [Parameter("limit", "N")]), "to fetch more")
  /// Compare the description of the source with the service's answers.
  public static let checkDescription = Remedy.ask(Call(ofProgram: "source check"), "")
  /// Give the source a key, which it was made without.
  public static let setKey: Remedy = "give the source a key"
  /// Use another file or server for the store.
  public static let useAnotherStore = Remedy.give([Parameter("store", "PLACE")], "to use another store")

  /// Set an address. The one in the environment may be wrong.
  public static func setAddress(_ name: String) -> Remedy { "set \(name) to an address such as https://example.com/" }

  /// Allow the source, or the file, to use what it asks for.
  public static func allow(_ name: String) -> Remedy { .ask(Call(ofProgram: "source allow", name), "if you trust it") }

  package static func logIn(_ source: String) -> Remedy { .ask(Call(ofProgram: "login", source), "") }

  /// Allow all of these sources, the one that was asked for and others that lack leave too.
  public static func allow(all names: [String]) -> Remedy {
    names.count == 1 ? allow(names[0]) : .ask(Call(ofProgram: "source allow", names), "if you trust them")
  }

  /// Name the key file at that path, so that it counts as trusted.
  public static func trust(keyFile path: String) -> Remedy {
    .give([Parameter("config", path)], "if you trust that file")
  }

  /// Import the file, which holds records of that source.
  public static func importInto(_ source: String) -> Remedy {
    .ask(Call(ofProgram: "import", source, "FILE"), "to store them")
  }
}

extension Remedy: CustomStringConvertible {
  /// The remedy in words that fit no particular face.
  public var description: String {
    switch self {
    case .ask(let call, let purpose):
      "use \(([call.verb] + call.subjects + call.parameters.map(\.description)).joined(separator: " "))\(Self.appended(purpose))"
    case .give(let parameters, let purpose):
      "give \(parameters.map(\.description).joined(separator: " or "))\(Self.appended(purpose))"
    case .lengthen(let name): "give a longer \(name)"
    case .omit(let name, let purpose): "omit \(name)\(Self.appended(purpose))"
    case .set(let names, let purpose): "set \(names.joined(separator: " and "))\(Self.appended(purpose))"
    case .check(let name?): "check \(name)"
    case .check(nil): "check which address is asked"
    case .advice(let text): text
    case .either(let remedies): remedies.map(\.description).joined(separator: ", or ")
    }
  }

  /// Returns a purpose with a blank before it, to follow the action; empty without a purpose.
  public static func appended(_ purpose: String) -> String { purpose.isEmpty ? "" : " \(purpose)" }
}

extension Remedy.Parameter: CustomStringConvertible {
  /// The name and the value, `limit=N`, or the name alone.
  public var description: String { value.map { "\(name)=\($0)" } ?? name }
}

extension Remedy {
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
  /// Returns the error with every remedy in a face's own words, including those of failed stand-ins. A remedy becomes nil if the face has
  /// no use for it.
  public func worded(_ words: Remedy.Wording) -> SourceError {
    copy(of: self) { error in
      error.remedy = remedy.flatMap { words($0, source) }.map { .advice($0) }
      error.others = others.map { $0.worded(words) }
    }
  }
}
