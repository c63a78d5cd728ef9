/// A word of a command line that a person fills in: help shows it, completions offer what it stands for.
struct Placeholder: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// A text, a number or a length of time: nothing that could be offered.
    case free
    case source
    /// The id of a stored record.
    case id
    /// The id of a deleted record.
    case deletedID
    /// The id of a record, or a name that it answers to.
    case record
    /// Field names; a comma may follow for another one, or whatever else belongs to it.
    case fields
    /// The same, each perhaps behind a dash.
    case order
    /// A field, what it is compared by, and a value.
    case condition
    case requirements
    case setting
    /// The words of another command.
    case command
    case shell
    case file
    case folder
  }

  let word: String
  let kind: Kind

  init(_ word: String, _ kind: Kind = .free) {
    self.word = word
    self.kind = kind
  }
}

extension Placeholder {
  static let source = Placeholder("SOURCE", .source)
  static let id = Placeholder("ID", .id)
  static let deletedID = Placeholder("ID", .deletedID)
  static let record = Placeholder("ID", .record)
  static let fields = Placeholder("a,b", .fields)
  static let field = Placeholder("FIELD", .fields)
  static let order = Placeholder("FIELD", .order)
  static let condition = Placeholder("FIELD=VALUE", .condition)
  static let requirements = Placeholder("COND", .requirements)
  static let setting = Placeholder("KEY", .setting)
  static let command = Placeholder("COMMAND", .command)
  static let shell = Placeholder(Shell.allCases.map(\.rawValue).joined(separator: "|"), .shell)
  static let file = Placeholder("FILE", .file)
  static let path = Placeholder("PATH", .file)
  static let folder = Placeholder("DIR", .folder)
  static let checkout = Placeholder("PATH", .folder)
  static let text = Placeholder("TEXT")
  static let name = Placeholder("NAME")
  static let count = Placeholder("N")
  static let seconds = Placeholder("SECONDS")
  static let duration = Placeholder("DURATION")
}
