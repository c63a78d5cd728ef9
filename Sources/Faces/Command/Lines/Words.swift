import AggregatorCore
import Asking
import RecordFormats

/// A command line taken apart: the words that stand alone, and the options with the words that belong to them.
///
/// Errors do not stop the reading. A fault can then be reported with the usage of the command, and `--help` helps even then.
struct Words {
  private(set) var plain: [String] = []
  /// The values of each option that was given, by its name: empty for an option without a value, several for a repeated one.
  private(set) var values: [String: [String]] = [:]
  /// The option at the end of the line, if the next word would be its value.
  private(set) var unfinished: Option?
  /// True when `--` was among the words; after it no word is an option.
  private(set) var hasEndOfOptions = false
  /// The first error.
  private(set) var fault: UsageError?
  /// The unknown option that is the fault, with the value that was attached to it; nil if the fault is another one.
  private(set) var unknownOption: (name: String, value: String?)?
  /// The options that were read.
  private(set) var options: [Option] = []

  /// Reads `words` by the options in `known`, each name once.
  init(_ words: [String], known: [Option]) { self.init(words) { name, _ in known.first { $0.isCalled(name) } } }

  /// Reads `words`. `find` returns the option of a name that follows these plain words.
  init(_ words: [String], _ find: (_ name: String, _ plain: [String]) -> Option?) {
    read(words, find)
    guard fault == nil else { return }
    for option in options {
      if let file = option.unnamedFormat(of: values[option.name] ?? []) { fault = option.invalid(file) }
    }
  }

  private mutating func read(_ words: [String], _ find: (_ name: String, _ plain: [String]) -> Option?) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        plain += rest
        hasEndOfOptions = true
        return
      }
      // "-" alone is a word: to some commands it means standard input.
      guard word.hasPrefix("-"), word != "-" else {
        plain.append(word)
        continue
      }
      let (name, attached) = Self.parts(of: word) { find($0, plain) }
      if name == "--json", attached == nil, let format = find("--\(Option.format.name)", plain) {
        options.append(format)
        take(format, Format.json.rawValue, &rest)
        continue
      }
      guard let option = find(name, plain) else {
        if fault == nil { (fault, unknownOption) = (UsageError("unknown option \(name)"), (name, attached)) }
        continue
      }
      options.append(option)
      if rest.isEmpty, attached == nil, option.value != .none { unfinished = option }
      take(option, attached, &rest)
    }
  }

  /// Splits off an attached value: `--limit=5`, `-n=5`, `-n5`.
  private static func parts(of word: String, _ find: (String) -> Option?) -> (name: String, attached: String?) {
    let letter = String(word.prefix(2))
    if word.count > 2, !word.hasPrefix("--"), let option = find(letter), option.value != .none {
      let rest = word.dropFirst(2)
      return (letter, String(rest.hasPrefix("=") ? rest.dropFirst() : rest))
    }
    let name = String(word.prefix { $0 != "=" })
    return (name, name.endIndex < word.endIndex ? String(word[name.endIndex...].dropFirst()) : nil)
  }

  private mutating func take(_ option: Option, _ attached: String?, _ rest: inout ArraySlice<String>) {
    do throws(UsageError) {
      let given = try option.value(attached: attached, &rest).map { [$0] } ?? []
      values[option.name] = try option.values(given, after: values[option.name])
    } catch {
      fault = fault ?? error
    }
  }
}

extension Option {
  /// True when `word` is this option as it is typed; options are never abbreviated.
  func isCalled(_ word: String) -> Bool {
    word.hasPrefix("--") ? word.dropFirst(2) == name : letter.map { word == "-\($0)" } ?? false
  }

  /// Returns the values of the option that was given before. A format and a file may both be given, in either order: the file comes first.
  fileprivate func values(_ given: [String], after earlier: [String]?) throws(UsageError) -> [String] {
    guard let earlier else { return given }
    if isRepeatable { return earlier + given }
    if given.allSatisfy(earlier.contains) { return earlier }
    if case .choice(let words, let endings) = value, !endings.isEmpty, earlier.count == 1,
      words.contains(earlier[0]) != words.contains(given[0])
    {
      return words.contains(given[0]) ? earlier + given : given + earlier
    }
    let letter = letter.map { " (-\($0) is the same option)" } ?? ""
    throw UsageError("--\(name) was given twice\(letter)")
  }

  /// Returns the file among `values` whose ending names no format, if no format is among them either.
  fileprivate func unnamedFormat(of values: [String]) -> String? {
    guard case .choice(let words, let endings) = value, !endings.isEmpty, let file = values.first, values.count == 1 else {
      return nil
    }
    return words.contains(file) || endings.contains(where: file.lowercased().hasSuffix) ? nil : file
  }

  /// Returns the value: what is attached with `=`, or the next word.
  fileprivate func value(attached: String?, _ rest: inout ArraySlice<String>) throws(UsageError) -> String? {
    switch value {
    case .none:
      guard attached == nil else { throw UsageError("--\(name) takes no value") }
      return nil
    case .optional:
      if let attached { return attached.isEmpty ? nil : attached }
      return rest.first?.hasPrefix("-") ?? true ? nil : rest.popFirst()
    case .required:
      return try required(attached, &rest)
    case .choice(let words, let endings):
      let given = try required(attached, &rest)
      // A file may have any ending if the format is given too, which may come later in the line.
      let isFile = !endings.isEmpty && given.contains { $0 == "." || $0 == "/" }
      guard words.contains(given) || isFile else { throw invalid(given) }
      return given
    }
  }

  /// The error for a value that is not among the choices.
  fileprivate func invalid(_ given: String) -> UsageError {
    guard case .choice(let words, let endings) = value else { return UsageError("invalid \(name) \"\(given)\"") }
    if name == Option.format.name, Format(named: given) == .report {
      return UsageError("only sync and changes have --\(name) report; choose one of \(words.joined(separator: ", "))")
    }
    let files = endings.isEmpty ? "" : ", or a file that ends in \(endings.joined(separator: ", "))"
    if name == Option.format.name, let advice = Format.spreadsheet(given) {
      return UsageError("invalid \(name) \"\(given)\"; \(advice)")
    }
    let message = "invalid \(name) \"\(given)\"; choose one of \(words.joined(separator: ", "))\(files)"
    return UsageError(Unknown(name, given, among: words), message) { "--\(name) \($0)" }
  }

  /// Returns the value that must be given. The next word counts unless it begins with `--`; an attached value may begin so.
  private func required(_ attached: String?, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    let isThere = rest.first.map { !$0.hasPrefix("--") } ?? false
    guard let given = attached ?? (isThere ? rest.popFirst() : nil), !given.isEmpty else {
      throw UsageError("--\(name) needs a value; type \(usage)")
    }
    return given
  }
}

extension Format {
  /// Advice for the name of a format, or of a file, of a spreadsheet, which no format here is; nil for other names.
  static func spreadsheet(_ name: String) -> String? {
    let isOne = ["xls", "xlsx", "excel", "ods"].contains { name.lowercased() == $0 || name.lowercased().hasSuffix(".\($0)") }
    return isOne ? "a spreadsheet opens csv: --bom -o FILE.csv" : nil
  }
}
