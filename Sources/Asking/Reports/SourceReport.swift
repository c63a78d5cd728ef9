public import AggregatorCore

/// The report on a source, without asking its service: what it can do, where its records come from, which keys it needs, and what is known
/// of its stored list.
public struct SourceReport: Sendable {
  /// The source.
  public let source: SourceDescriptor
  /// True when a person removed the source.
  public var isHidden = false
  /// The permission that a person gave the source's file, in words; nil for a compiled-in source.
  public var permission: String?
  /// The store's knowledge of the list; nil if the store cannot be read, or was not read.
  public internal(set) var status: ListStatus?
  /// The parts of the list that are missing, or may be; the worst first.
  public internal(set) var missing: [MissingPart] = []
  /// The error of the last sync, with a remedy; nil if the last sync did not fail.
  public internal(set) var lastError: SourceError?
  /// The number of requests that the budget allows at once, and when it is whole again; nil without a limit.
  public internal(set) var budgetLeft: (count: Int, whole: Moment?)?
  private let settings: Settings
  let now: Moment

  /// The report on a source whose settings have these values.
  public init(_ source: SourceDescriptor, settings: Settings, at now: Moment = SystemTime().now) {
    (self.source, self.settings, self.now) = (source, settings, now)
  }

  /// The verbs that the source offers; empty if it is hidden.
  public var verbs: [String] { isHidden ? [] : source.verbs.map { $0.name(for: source) } }

  /// The number of its stored records; nil if unknown.
  public var stored: Int? { status?.census.count ?? counted }
  /// The number of its stored records, where nothing else is known of the list.
  var counted: Int?

  private var neededKeys: [Setting] {
    source.settings.filter { $0.isSecret && (!$0.isOptional || settings.isSet($0)) }
  }
  /// True when a login brings the token, and none is set by hand.
  private var isByLogin: Bool { source.settings.contains { $0.isFromLogin && !settings.isSet($0) } }
  private var isKeySet: Bool { !neededKeys.isEmpty && neededKeys.allSatisfy { settings.isSet($0) } }
  /// The error that a sync of a stored list would meet here, where a key is not set. It says nothing about the list, which others may sync.
  var keyless: SourceError? {
    let names = neededKeys.filter { !settings.isSet($0) }.map(\.name)
    guard status?.sync != nil, !isByLogin, !names.isEmpty else { return nil }
    return SourceError(.missingKey, "\(names.joined(separator: ", ")) is not set here", remedy: .set(names))
  }
  private var url: String? { source.settings.first { $0.kind == .address }.flatMap { settings[$0]?.shown } }
  private var budget: String? { source.settings.first { $0.kind == .budget }.flatMap { settings.text($0) } }

  /// Returns some of its settings with their values; a secret only says whether it is set.
  private func shown(where isWanted: (Setting) -> Bool) -> [String] {
    source.settings.filter(isWanted).map { setting in
      let entry = settings[setting]
      return setting.isSecret
        ? "\(setting.name) (\(settings.isSet(setting) ? "set" : "not set"))" : "\(setting.name) = \(entry?.shown ?? "")"
    }
  }
}

// MARK: - What a source can do

extension SourceReport: Fielded {
  /// The fields for a list of sources.
  public static let fields = [
    Field<SourceReport>("name", .title, width: .whole) { $0.source.name },
    Field<SourceReport>("records", width: .whole) { $0.stored }.inTextOnly,
    Field<SourceReport>("key", .badge, width: .whole) { report in
      report.isByLogin ? "by login" : report.neededKeys.isEmpty ? "not needed" : report.isKeySet ? "set" : "missing"
    }.inTextOnly,
    // What its records come from now; without its key that is the bundled copy.
    Field<SourceReport>("from") { report in
      report.isHidden
        ? "hidden"
        : report.neededKeys.isEmpty || report.isKeySet ? report.url : "bundled copy; with a key \(report.url ?? "the service")"
    }.inTextOnly,
    Field<SourceReport>("summary", .subtitle, width: .hidden) { $0.source.summary },
    Field<SourceReport>("verbs", width: .hidden) { $0.verbs },
    Field<SourceReport>("search", width: .hidden) { $0.source.searches },
    Field<SourceReport>("needsKey", width: .hidden) { !$0.neededKeys.isEmpty || $0.isByLogin },
    Field<SourceReport>("keySet", width: .hidden) { $0.isByLogin ? nil : $0.isKeySet },
    Field<SourceReport>("url", .link, width: .hidden) { $0.url },
    Field<SourceReport>("stored", width: .hidden) { $0.stored },
    Field<SourceReport>("file", width: .hidden) { $0.source.file },
    Field<SourceReport>("hidden", width: .hidden) { $0.isHidden },
    Field<SourceReport>("budget", width: .hidden) { $0.budget },
  ]

  /// The fields for a single source.
  public static let fullFields = [
    Field<SourceReport>("name", .title, width: .whole) { $0.source.name },
    Field<SourceReport>("summary", .subtitle) { $0.source.summary },
    Field<SourceReport>("file") { $0.source.file },
    Field<SourceReport>("url", .link) { $0.url },
    Field<SourceReport>("keys") { report in report.shown(where: \.isSecret) },
    Field<SourceReport>("settings") { report in report.shown { $0.kind == .text } },
    Field<SourceReport>("budget") { $0.budget },
    Field<SourceReport>("permission") { $0.permission },
    Field<SourceReport>("search") { $0.source.searches },
    Field<SourceReport>("fields") { $0.source.fields.leaves.map { Printable.clean($0.path.text) } },
  ]
}

extension Holding: Fielded {
  /// The fields in the order in which they are printed.
  public static let fields = [
    Field<Holding>("source", .title, width: .whole) { $0.source },
    Field<Holding>("kind", .qualifier, width: .whole) { $0.kind },
    Field<Holding>("rows", .badge, width: .whole) { $0.rows },
    Field<Holding>("bytes", width: .whole) { $0.bytes },
    Field<Holding>("oldest") { $0.oldest?.iso },
    Field<Holding>("newest", .subtitle) { $0.newest?.iso },
  ]
}
