import Recordings

/// Makes names of Swift out of names of a service, each only once.
struct Identifiers {
  private var taken: Set<String> = []

  /// A property for the field called `name`; `place` is what it is called when nothing in that is a letter.
  mutating func property(_ name: String, place: Int) -> String {
    var property = NameWords.lowerCamel(NameWords.words(in: name))
    if property.isEmpty { property = "field\(place)" }
    if Reserved.members.contains(property) { property += "Field" }
    return claim(property)
  }

  /// The name itself, or with the first number behind it that makes it new.
  mutating func claim(_ name: String) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }
}

extension Identifiers {
  /// A name as it stands in code: in backticks where the language means something else by it.
  static func spelled(_ name: String) -> String { Reserved.words.contains(name) ? "`\(name)`" : name }
}

/// Names that mean something already where generated code is compiled.
enum Reserved {
  /// What the language keeps for itself.
  static let words: Set<String> = [
    "Any", "Protocol", "Self", "Type", "actor", "any", "as", "associatedtype", "async", "await", "break", "case",
    "catch", "class", "consume", "continue", "convenience", "copy", "default", "defer", "deinit", "didSet", "discard",
    "do", "dynamic", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for",
    "func", "get", "guard", "if", "import", "in", "indirect", "infix", "init", "inout", "internal", "is", "isolated",
    "lazy", "let", "macro", "mutating", "nil", "nonisolated", "nonmutating", "open", "operator", "optional",
    "override", "package", "postfix", "precedencegroup", "prefix", "private", "protocol", "public", "repeat",
    "required", "rethrows", "return", "self", "set", "some", "static", "struct", "subscript", "super", "switch",
    "then", "throw", "throws", "true", "try", "typealias", "unowned", "var", "weak", "where", "while", "willSet",
  ]

  /// What a record has beside its fields, and what the code that reads one calls its own.
  static let members: Set<String> = [
    "answers", "description", "fieldValue", "fields", "hash", "hashValue", "id", "init", "leaves", "row", "schema",
    "self", "value",
  ]

  /// Types that generated code names: one of its own would hide them.
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
    "Aggregator", "AggregatorCommand", "AggregatorCore", "AuthorCommands", "Builtin", "CommandLines", "Commands",
    "CurlTransport",
    "Darwin", "Dispatch", "Distributed", "Foundation", "Glibc", "HTML", "Musl", "Observation", "RecordFormats", "RegexBuilder",
    "Services",
    "SourceTesting", "SourceTestingTraits", "Store", "Swift", "Synchronization", "Testing", "XCTest",
  ]

  /// The sources that come along, whether or not a command offers them: a package has each module once.
  static let sources: Set<String> = ["countries", "heroes", "products", "users"]
}
