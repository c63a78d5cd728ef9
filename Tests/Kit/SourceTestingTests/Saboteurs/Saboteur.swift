import AggregatorCore
import Ports
import SourceTesting

/// A source that breaks one rule, to show that the check of that rule can fail.
struct Saboteur: Sendable {
  /// The fault of the source.
  let name: String
  /// The checks that must catch it. No other check may.
  let target: Target
  let descriptor: SourceDescriptor
  let fixture: Fixture

  struct Target: Sendable {
    let law: Law
    /// The hazards under which a check may catch it; nil for all.
    let hazards: Set<Hazard>?
    /// The hazards under which it also weakens the verdict.
    var doubted: Set<Hazard> = []

    static func law(_ law: Law) -> Target { Target(law: law, hazards: nil) }
    static func hazards(_ hazards: Set<Hazard>, _ law: Law, doubting doubted: Set<Hazard> = []) -> Target {
      Target(law: law, hazards: hazards, doubted: doubted)
    }

    /// True when a check may catch it.
    func covers(_ hazard: Hazard, _ law: Law) -> Bool {
      law == self.law && hazards?.contains(hazard) ?? true || law == .verdict && doubted.contains(hazard)
    }
  }

  init(_ name: String, breaks target: Target, _ descriptor: SourceDescriptor, _ fixture: Fixture) {
    (self.name, self.target, self.descriptor, self.fixture) = (name, target, descriptor, fixture)
  }

  /// A copy of `ports` whose pages are made in another way.
  init(
    _ name: String, breaks target: Target, in ports: PortsFixture, paging: Paging? = nil,
    page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) {
    var profile = ports.profile
    profile.paging = paging ?? profile.paging
    let copy = PortsFixture(name: ports.name, profile: profile, page: page, fixture: ports.fixture)
    self.init(name, breaks: target, copy.descriptor, ports.fixture)
  }

  /// A copy of `ports` whose pages are changed after they came.
  init(
    _ name: String, breaks target: Target, spoiling ports: PortsFixture,
    spoil: @escaping @Sendable (inout Page<Port>, PortsSource, PageRequest) throws -> Void
  ) {
    self.init(name, breaks: target, in: ports) { source, request in
      var page = try await ports.page(source, request)
      try spoil(&page, source, request)
      return page
    }
  }

  /// A copy of `ports` with other records.
  init<Item: Record>(
    _ name: String, breaks target: Target, in ports: PortsFixture, telling record: @escaping @Sendable (Port) -> Item
  ) {
    let source = Source(
      ports.name, "Ports of the world", settings: [PortsSource.url, PortsSource.keySetting], searches: "name",
      live: { try PortsSource(ports, in: $0, fetch: ports.page).mapped(record) },
      bundled: { RecordList(try PortsFixtures.bundled().map(record)) })
    self.init(name, breaks: target, source.descriptor, ports.fixture)
  }

  /// A copy of `ports` that handles an error with `recover` instead of throwing it.
  init(
    _ name: String, breaks target: Target, in ports: PortsFixture,
    catching recover: @escaping @Sendable (SourceError, PortsSource, PageRequest) throws -> Page<Port>
  ) {
    self.init(name, breaks: target, in: ports) { source, request in
      do {
        return try await ports.page(source, request)
      } catch let error as SourceError {
        return try recover(error, source, request)
      }
    }
  }
}

extension Saboteur.Target: CustomStringConvertible {
  var description: String {
    "\(law)" + (hazards.map { " under \($0.map(\.rawValue).sorted().joined(separator: ", "))" } ?? "")
  }
}

extension Saboteur: CustomStringConvertible {
  var description: String { "\(name) (\(target))" }
}

/// Every saboteur: at least one for each law and one for each hazard.
enum Saboteurs {
  static var all: [Saboteur] { ofLaws + ofLists + ofServices + ofChangingLists + ofSyncs + [talkative] }
}
