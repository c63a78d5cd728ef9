package import AggregatorCore
import Asking
import Platform
import Recordings

extension Remedy {
  /// Returns what to type about an error of `source`, which is nil for an error without a source.
  package func words(_ program: String, _ source: String?) -> String {
    switch self {
    case .ask(let call, let purpose): "type '\(program) \(call.words(source))'\(Self.appended(purpose))"
    case .give(let parameters, let purpose):
      "add \(parameters.map(\.words).joined(separator: " or "))\(Self.appended(purpose))"
    case .lengthen(let name): "try a longer --\(name)"
    case .omit(let name, let purpose): "omit --\(name)\(Self.appended(purpose))"
    case .set(let names, let purpose):
      "type \(names.map { "'\(program) config set \($0)'" }.joined(separator: " and "))"
        + Self.appended(purpose.isEmpty ? "to set \(names.count == 1 ? "one" : "them")" : purpose)
    case .check(let name): "type '\(program) config' to \(name.map { "check \($0)" } ?? "see which address is asked")"
    case .advice(let text): text
    case .either(let remedies): remedies.map { $0.words(program, source) }.joined(separator: ", or ")
    }
  }
}

extension Remedy.Call {
  fileprivate func words(_ asked: String?) -> String {
    let name = source ?? asked
    // Without a source these are commands over all of them.
    let owner = isOfSource && !(name == nil && ["search", "sync"].contains(verb)) ? [name ?? "SOURCE"] : []
    let object = subjects.isEmpty && !isOfSource ? [name ?? "SOURCE"] : subjects.map { Paths.quoted($0) }
    return (owner + [verb] + object + parameters.map(\.words)).joined(separator: " ")
  }
}

extension Remedy.Parameter {
  fileprivate var words: String {
    guard let value else { return "--\(name)" }
    let letters = value.filter { !"=:".contains($0) }
    return "--\(name) \(Paths.quoted(letters) == letters ? value : Paths.quoted(value))"
  }
}

extension Invocation {
  /// True when the line gives that option, which cannot be given twice.
  private func isGivenOnce(_ name: String) -> Bool {
    values[name] != nil && command.options.contains { $0.name == name && !$0.isRepeatable }
  }

  /// The words of this command for a remedy.
  package var wording: Remedy.Wording { { words(for: $0, about: $1) } }

  private func words(for remedy: Remedy, about source: String?) -> String? {
    switch remedy {
    // A flag that was given already cannot help.
    case .give(let parameters, _) where parameters.allSatisfy { $0.value == nil && isGivenOnce($0.name) }: return nil
    // A recording is made in place of a replay.
    case .give(let parameters, let purpose) where parameters.first?.name == Option.record.name && has(.replay):
      return "replace --replay with --record\(Remedy.appended(purpose))"
    // An option that was given already gets another value.
    case .give(let parameters, let purpose) where parameters.contains { isGivenOnce($0.name) }:
      return "change \(parameters.map { "--\($0.name)" }.joined(separator: " or "))\(Remedy.appended(purpose))"
    // Where the line takes the option itself, no sync is needed. It is said of one source alone.
    case .ask(let call, let purpose) where call.parameters == ["same-account"] && command.options.contains(.sameAccount):
      return "type '\(line(of: source ?? "SOURCE")) --\(Option.sameAccount.name)'\(Remedy.appended(purpose))"
    // Where stores are arguments, as for a copy, the command lacks that option.
    case .useAnotherStore where !command.options.contains(.store): return "name another place"
    case .either(let remedies):
      let texts = remedies.compactMap { words(for: $0, about: source) }
      return texts.isEmpty ? nil : texts.joined(separator: ", or ")
    default: return remedy.words(program.name, source)
    }
  }

  /// Returns this line without its options, for that source alone.
  private func line(of source: String) -> String {
    let takesNames = command.arguments == .any(.source)
    let owner = takesNames || command.words.first == source ? [] : [source]
    let rest = takesNames ? [source] : arguments.map { Paths.quoted($0) }
    return ([program.name] + owner + command.words + rest).joined(separator: " ")
  }
}

extension SourceError {
  /// Returns this error with the words that end a command.
  package func ending(_ invocation: Invocation) -> SourceError {
    var error = worded(invocation.wording)
    if message == Deadline.isLate.message, let time = try? invocation.timeout() {
      error.message += " after \(time.inWords)"
    }
    return error
  }
}
