import Recordings

/// Makes Swift names from names of a service, each only once.
struct Identifiers {
  private var taken: Set<String> = []

  /// Returns a property for the field `name`, or `field` and `number` if the name has no letters or digits.
  mutating func property(_ name: String, number: Int) -> String {
    var property = NameWords.lowerCamel(NameWords.words(in: name))
    if property.isEmpty { property = "field\(number)" }
    if Reserved.members.contains(property) { property += "Field" }
    return claim(property)
  }

  /// Returns the name itself, or the name with the first number that makes it unique.
  mutating func claim(_ name: String) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }

  /// Returns the name as it is written in code: in backticks if it is a keyword.
  static func spelled(_ name: String) -> String { Reserved.words.contains(name) ? "`\(name)`" : name }
}

/// Names that already have a meaning in generated code.
enum Reserved {
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

  /// Members that a record has beside its fields, and names in the code that reads a record.
  static let members = Set(words: "answers description fieldValue fields hash hashValue id init leaves row schema self value")

  /// Types that generated code uses. A type of the package with the same name would hide them.
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
