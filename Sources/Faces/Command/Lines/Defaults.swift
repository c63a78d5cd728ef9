import AggregatorCore
import Asking
import RecordFormats

/// The options whose values a person can set once for all commands.
enum Defaults {
  static let all: [(option: Option, setting: Setting)] = [
    (.format, Setting("AGGREGATOR_FORMAT", .text, "the output format where no --format is given")),
    (.limit, Setting("AGGREGATOR_LIMIT", .text, "how many records to print where no --limit is given", default: "20")),
    (
      .maxAge,
      Setting("AGGREGATOR_MAX_AGE", .text, "up to which age a cached answer is used where no --max-age is given; 0: none")
    ),
  ]

  static var settings: [Setting] { all.map(\.setting) + [StoreLocation.setting] }

  /// Throws if the option of `setting` would not take the value.
  static func check(_ text: String, for setting: Setting, called name: String) throws(SourceError) {
    if setting == StoreLocation.setting { _ = try StoreLocation(text, in: "/") }
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

extension Program {
  /// All settings: those that the sources declare, and those of the command.
  var declared: [Setting] { catalogue.settings + ownSettings }

  /// The settings that belong to no source: the defaults of options, and what faces read.
  private var ownSettings: [Setting] { Defaults.settings + commands.faces.flatMap(\.settings) }

  /// Returns the settings that a command beginning with `word` needs. A command of one source
  /// gets only the keys of other sources in files, so that no output shows those keys.
  func declared(for word: String?) -> [Setting] {
    guard let word, catalogue[word] != nil else { return declared }
    return catalogue.sources.flatMap { $0.file == nil || $0.name == word ? $0.settings : $0.settings.filter(\.isSecret) }
      + ownSettings
  }
}

extension Invocation {
  /// The number of records when the line says no other.
  var usualLimit: Int { defaultLimit ?? 20 }

  /// Returns this line with the settings' values for the options that it leaves out.
  func withDefaults() throws -> Invocation {
    let free = Defaults.all.filter { command.takes($0.option) && !has($0.option) }
    // An error in the settings is reported by the command that needs them.
    guard !free.isEmpty, let settings = try? readSettings() else { return self }
    var invocation = self
    invocation.settings = settings
    for (option, setting) in free {
      guard let entry = settings[setting], let text = settings.text(setting) else { continue }
      try Defaults.check(text, for: setting, called: "\(setting.name) (\(entry.origin))")
      // A format that this command lacks is for other commands.
      if case .choice(let words, _) = command.options.first(where: { $0.name == option.name })?.value, !words.contains(text) {
        continue
      }
      // The person did not ask for a limit: this is only the usual number of records.
      if option == .limit { invocation.defaultLimit = Int(text) } else { invocation.values[option.name] = [text] }
    }
    return invocation
  }
}
