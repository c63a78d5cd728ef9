package import AggregatorCore
import Asking
import Presentation

/// The options whose values a person can set once for all commands.
package enum Defaults {
  package static let all: [(option: Option, setting: Setting)] = [
    (.format, Setting("AGGREGATOR_FORMAT", .text, "the output format where no --format is given")),
    (.limit, Setting("AGGREGATOR_LIMIT", .text, "how many records to print where no --limit is given", default: "20")),
    (
      .maxAge,
      Setting("AGGREGATOR_MAX_AGE", .text, "up to which age a cached answer is used where no --max-age is given; 0: none")
    ),
  ]

  package static var settings: [Setting] { all.map(\.setting) + [StorePlace.setting] }

  /// Refuses a value that its option would not take.
  package static func check(_ text: String, for setting: Setting, called name: String) throws(SourceError) {
    if setting == StorePlace.setting { _ = try StorePlace(text, in: "/") }
    guard let option = all.first(where: { $0.setting == setting })?.option else { return }
    let (isFine, expected) =
      switch option {
      case .limit: ((Int(text) ?? 0) > 0, Ask.Parameter.limit.expected)
      case .maxAge: (Duration(amount: text) != nil, Ask.Parameter.maxAge.expected)
      default: (Format(rawValue: text) != nil, "one of \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
      }
    if !isFine { throw SourceError(.settings, "\(name) must be \(expected)") }
  }
}

extension Catalogue {
  /// What can be set: what the sources declare, and the defaults of options.
  package var declared: [Setting] { settings + Defaults.settings }

  /// What matters to a command that begins with `word`: to one of a source, of the other sources in files their keys alone, which no output
  /// shows.
  package func declared(for word: String?) -> [Setting] {
    guard let word, self[word] != nil else { return declared }
    return sources.flatMap { $0.file == nil || $0.name == word ? $0.settings : $0.settings.filter(\.isSecret) }
      + Defaults.settings
  }
}

extension Invocation {
  /// How many records there are unless the line says otherwise.
  var usualLimit: Int { defaultLimit ?? 20 }

  /// This line with what the settings say of the options that it leaves out.
  func withDefaults() throws -> Invocation {
    let free = Defaults.all.filter { command.takes($0.option) && !has($0.option) }
    // What is wrong with the settings tells whoever needs them.
    guard !free.isEmpty, let settings = try? readSettings() else { return self }
    var invocation = self
    invocation.settings = settings
    for (option, setting) in free {
      guard let entry = settings[setting], let text = settings.text(setting) else { continue }
      try Defaults.check(text, for: setting, called: "\(setting.name) (\(entry.origin))")
      // A format that this command does not have is for others.
      if case .choice(let words, _) = command.options.first(where: { $0.name == option.name })?.value, !words.contains(text) {
        continue
      }
      // To set how many there are usually is not to limit anything.
      if option == .limit { invocation.defaultLimit = Int(text) } else { invocation.values[option.name] = [text] }
    }
    return invocation
  }
}
