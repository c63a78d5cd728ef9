import AggregatorCore

/// A command line that was understood: which command, with what.
struct Invocation: Sendable {
  let program: Program
  let arguments: [String]
  private let values: [String: String?]

  init(program: Program, arguments: [String], values: [String: String?]) {
    self.program = program
    self.arguments = arguments
    self.values = values
  }

  /// Whether a switch was given.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value given; nil when the option is missing or bare.
  func value(_ option: Option) -> String? { values[option.name] ?? nil }

  /// Whether an option with an optional value was given without one.
  func isBare(_ option: Option) -> Bool { has(option) && value(option) == nil }

  /// A whole number of at least 1.
  func count(_ option: Option) throws -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), number >= 1 else {
      throw UsageError("\(option.usage): \"\(text)\" is no whole number above 0")
    }
    return number
  }

  /// Any whole number.
  func number(_ option: Option) throws -> UInt64? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text) else { throw UsageError("\(option.usage): \"\(text)\" is no whole number") }
    return UInt64(bitPattern: Int64(number))
  }

  /// A length of time: `5`, `1.5`, `500ms`, `2m`.
  func duration(_ option: Option) throws -> Duration? {
    guard let text = value(option) else { return nil }
    guard let duration = Duration(amount: text), duration > .zero else {
      throw UsageError("\(option.usage): \"\(text)\" is no length of time; write 5, 500ms or 2m")
    }
    return duration
  }

  /// Two options that contradict each other.
  func refuse(_ one: Option, with other: Option) throws {
    if has(one), has(other) { throw UsageError("--\(one.name) and --\(other.name) contradict each other") }
  }
}

/// A command line that was not understood.
struct UsageError: Error, Sendable {
  let message: String
  /// The nearest thing that would have been right.
  var suggestion: String?
  /// The usage line of the command that was meant.
  var usage: String?

  init(_ message: String, suggestion: String? = nil, usage: String? = nil) {
    self.message = message
    self.suggestion = suggestion
    self.usage = usage
  }
}
