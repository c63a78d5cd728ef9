import AggregatorCore
import Recordings

/// The name of a new source, in every form that it needs.
package struct SourceName: Sendable, Hashable {
  /// The name in a command line: `coffee-bars`.
  package let text: String

  /// Throws unless the name can be typed, is a valid Swift name and is free; `taken` are the names in use.
  package init(_ text: String, taken: Set<String> = []) throws(NameProblem) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isPlain = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    guard isPlain, text.utf8.first.map({ (0x61...0x7A).contains($0) }) ?? false, parts.allSatisfy({ !$0.isEmpty }) else {
      let suggestion = NameWords.words(in: text).joined(separator: "-").lowercased()
      throw NameProblem(
        "\"\(text)\" is not a valid name; use lower-case letters, digits and single dashes, starting with a letter",
        suggestion: suggestion == text ? nil : (try? SourceName(suggestion, taken: taken))?.text)
    }
    self.text = text
    guard text.utf8.count <= 40 else { throw NameProblem("\"\(text)\" is too long; use at most 40 characters") }
    if let refusal = Catalogue.refusal(of: text) { throw NameProblem(refusal.message) }
    guard !taken.contains(text) else { throw NameProblem("\"\(text)\" is already the name of a command or a source") }
    if Reserved.words.contains(member) { throw NameProblem("\"\(text)\" is a Swift keyword") }
    if Reserved.types.contains(module) || Reserved.modules.contains(module) || Reserved.sources.contains(text) {
      throw NameProblem("\"\(text)\" would name a module \(module), and a module or type of that name exists")
    }
  }

  /// The name of its module: `CoffeeBars`.
  package var module: String { text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }

  /// The name of its member: `.coffeeBars`.
  package var member: String { NameWords.lowerCamel(text.split(separator: "-").map(String.init)) }

  /// The name of its record type: `CoffeeBar`.
  package var record: String {
    let singular = NameWords.singular(module)
    return singular == module || Reserved.types.contains(singular) ? "\(module)Item" : singular
  }

  /// One of its records in a sentence: `coffee bar`.
  var singular: String {
    let words = text.split(separator: "-").joined(separator: " ")
    let singular = NameWords.singular(words)
    return singular == words ? "\(words) record" : singular
  }

  /// The prefix of its settings: `COFFEE_BARS`.
  var setting: String { text.uppercased().split(separator: "-").joined(separator: "_") }

  /// The name in all its forms. One that begins like another stands before it.
  var forms: [String] { [module, record, member, setting, text, singular] }

  /// The name that the source in the templates has.
  static let ofTemplates = SourceName(unchecked: "coffee-bars")

  private init(unchecked text: String) { self.text = text }
}

/// The reason why a name cannot be used.
package struct NameProblem: Error, Sendable, Hashable {
  /// The problem, as a clause for a person.
  package let message: String
  /// The nearest valid name; nil if none was found.
  package let suggestion: String?

  init(_ message: String, suggestion: String? = nil) { (self.message, self.suggestion) = (message, suggestion) }
}

/// Names that already have a meaning in the code of a package.
private enum Reserved {
  /// The keywords of the language.
  static let words = Set(
    words: """
      Any Protocol Self Type actor any as associatedtype async await break case catch class consume continue convenience
      copy default defer deinit didSet discard do dynamic each else enum extension fallthrough false fileprivate final for
      func get guard if import in indirect infix init inout internal is isolated lazy let macro mutating nil nonisolated
      nonmutating open operator optional override package postfix precedencegroup prefix private protocol public repeat
      required rethrows return self set some static struct subscript super switch then throw throws true try typealias
      unowned var weak where while willSet
      """)

  /// Types that such code uses. A type of the package with the same name would hide them.
  static let types: Set<String> = [
    "Array", "Bool", "Bounds", "Budget", "CalendarDay", "Client", "Conformance", "DataSource", "DecimalNumber",
    "Dictionary", "Double", "Duration", "Error", "Field", "ValuePath", "Fixture", "Guess", "HTMLText", "HTTPDate",
    "HTTPRequest", "HTTPResponse", "ID", "Int", "JSON", "Main", "Manifest", "Moment", "MoreModel", "Optional", "Page",
    "PageRequest", "Parameter", "PercentEncoding", "Profile", "Query", "Record", "Result", "Schema", "ServiceModel",
    "Set", "Setting", "Source", "SourceDescriptor", "SourceError", "String", "Suite", "Task", "Test", "Tests",
    "Timekeeper", "Type", "UInt8", "UnsafeBufferPointer", "Value", "Verdict", "Walk", "WebAddress",
  ]

  /// Modules that a source's package is built with.
  static let modules: Set<String> = [
    "Aggregator", "AggregatorApp", "AggregatorCommand", "AggregatorCore", "Asking", "Authoring", "Browse", "Builtin",
    "CurlTransport", "Darwin", "Dispatch", "Distributed", "Feed", "Foundation", "Glibc", "HTML", "Musl",
    "Observation", "Pictures", "Platform", "PostgresStore", "Presentation", "RecordFormats", "Recordings",
    "RegexBuilder", "Services", "SourceTesting", "SourceTestingTraits", "Store", "StoreTables", "StoreTesting",
    "Swift", "Synchronization", "Terminal", "Testing", "URLSessionTransport", "XCTest",
  ]

  /// The built-in sources, even if a command does not offer them, because a package has each module once.
  static let sources: Set<String> = ["countries", "heroes", "products", "users"]
}
