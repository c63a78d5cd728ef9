import AggregatorCore
import Asking
import Presentation

/// A command line taken apart: the words that stand alone, and the options with the words that belong to them.
///
/// It is taken apart to its end whatever is wrong with it, so that a fault can be told together with the command's usage,
/// and `--help` helps even then.
package struct Words {
  package private(set) var plain: [String] = []
  /// What was given of each option, by its name: nothing of one without a value, several of one that may be repeated.
  package private(set) var values: [String: [String]] = [:]
  /// The option at the end whose value may come next.
  package private(set) var unfinished: Option?
  /// Whether `--` was among the words: behind it nothing is an option.
  package private(set) var hasEndOfOptions = false
  /// The first thing that is wrong.
  private(set) var fault: UsageError?
  /// What that is, where it is no option.
  private(set) var unknownOption: String?
  /// Those that were read.
  private(set) var options: [Option] = []

  /// Reads `words` by the options in `known`, each name once.
  init(_ words: [String], known: [Option]) { self.init(words) { name, _ in known.first { $0.isCalled(name) } } }

  /// Reads `words`; `find` knows which option is called so behind the words that stand alone.
  init(_ words: [String], _ find: (_ name: String, _ plain: [String]) -> Option?) {
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
      guard let option = find(name, plain) else {
        if fault == nil { (fault, unknownOption) = (UsageError("unknown option \(name)"), name) }
        continue
      }
      options.append(option)
      if rest.isEmpty, attached == nil, option.value != .none { unfinished = option }
      take(option, attached, &rest)
    }
  }

  /// An option's name and the value attached to it: `--limit=5`, `-n=5`, `-n5`.
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
      if !option.isRepeatable, let earlier = values[option.name], earlier != given {
        let letter = option.letter.map { " (-\($0) is the same option)" } ?? ""
        throw UsageError("--\(option.name) was given twice\(letter)")
      }
      values[option.name] = option.isRepeatable ? (values[option.name] ?? []) + given : given
    } catch {
      fault = fault ?? error
    }
  }
}

extension Option {
  /// Whether `word` is how it is typed; it is never abbreviated.
  func isCalled(_ word: String) -> Bool {
    word.hasPrefix("--") ? word.dropFirst(2) == name : letter.map { word == "-\($0)" } ?? false
  }

  /// Its value: what was attached with `=`, or the word behind it.
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
      guard words.contains(given) || endings.contains(where: given.lowercased().hasSuffix) else {
        if name == Option.format.name, Format(named: given) == .report {
          throw UsageError("only sync and changes have --\(name) report; choose one of \(words.joined(separator: ", "))")
        }
        let files = endings.isEmpty ? "" : ", or a file that ends in \(endings.joined(separator: ", "))"
        let message = "invalid \(name) \"\(given)\"; choose one of \(words.joined(separator: ", "))\(files)"
        throw UsageError(Unknown(name, given, among: words), message) { "--\(name) \($0)" }
      }
      return given
    }
  }

  /// The value that must be there. Another option does not count as one ("-1" does), unless it is attached.
  private func required(_ attached: String?, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    let isThere = rest.first.map { !$0.hasPrefix("--") } ?? false
    guard let given = attached ?? (isThere ? rest.popFirst() : nil), !given.isEmpty else {
      throw UsageError("--\(name) needs a value; type \(usage)")
    }
    return given
  }
}
