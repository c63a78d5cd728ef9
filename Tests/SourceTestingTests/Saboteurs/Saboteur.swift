import AggregatorCore
import Ports
import SourceTesting

/// A source that breaks one rule, to show that the check of that rule can fail.
struct Saboteur: Sendable {
  /// What it does wrong.
  let name: String
  /// The checks that must catch it; nothing else may.
  let target: Target
  let descriptor: SourceDescriptor
  let fixture: Fixture

  enum Target: Sendable, Hashable {
    /// A law, under any hazard.
    case law(Law)
    /// One law, under some hazards.
    case hazards(Set<Hazard>, Law)

    /// Whether a check may catch it.
    func covers(_ hazard: Hazard, _ law: Law) -> Bool {
      switch self {
      case .law(let own): own == law
      case .hazards(let hazards, let own): own == law && hazards.contains(hazard)
      }
    }
  }

  init(_ name: String, breaks target: Target, _ descriptor: SourceDescriptor, _ fixture: Fixture) {
    self.name = name
    self.target = target
    self.descriptor = descriptor
    self.fixture = fixture
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
}

extension Saboteur.Target: CustomStringConvertible {
  var description: String {
    switch self {
    case .law(let law): "\(law)"
    case .hazards(let hazards, let law): "\(law) under \(hazards.map(\.rawValue).sorted().joined(separator: ", "))"
    }
  }
}

extension Saboteur: CustomStringConvertible {
  var description: String { "\(name) (\(target))" }
}

/// Every saboteur there is: at least one for each law and one for each hazard.
enum Saboteurs {
  static var all: [Saboteur] { ofLaws + ofLists + ofServices + ofChangingLists + ofSyncs + [talkative] }
}
