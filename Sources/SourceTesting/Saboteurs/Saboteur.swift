public import AggregatorCore

/// A source that breaks one rule, to show that the check of that rule can fail.
public struct Saboteur: Sendable {
  /// What it does wrong.
  public let name: String
  /// The checks that must catch it; nothing else may.
  public let target: Target
  public let descriptor: SourceDescriptor
  public let fixture: Fixture

  public enum Target: Sendable, Hashable {
    /// A law, under any hazard.
    case law(Law)
    /// One law, under some hazards.
    case weather(Set<Hazard>, Law)

    /// Whether a check may catch it.
    func covers(_ hazard: Hazard, _ law: Law) -> Bool {
      switch self {
      case .law(let own): own == law
      case .weather(let hazards, let own): own == law && hazards.contains(hazard)
      }
    }
  }

  init(_ name: String, breaks target: Target, _ descriptor: SourceDescriptor, _ fixture: Fixture) {
    self.name = name
    self.target = target
    self.descriptor = descriptor
    self.fixture = fixture
  }

  /// A copy of `harbour` whose pages are made in another way.
  init(
    _ name: String, breaks target: Target, in harbour: PortsFixture, paging: Paging? = nil,
    page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) {
    var profile = harbour.profile
    profile.paging = paging ?? profile.paging
    let copy = PortsFixture(name: harbour.name, profile: profile, page: page, recording: harbour.recording)
    self.init(name, breaks: target, copy.descriptor, harbour.recording)
  }
}

extension Saboteur.Target: CustomStringConvertible {
  public var description: String {
    switch self {
    case .law(let law): "\(law)"
    case .weather(let hazards, let law): "\(law) under \(hazards.map(\.rawValue).sorted().joined(separator: ", "))"
    }
  }
}

extension Saboteur: CustomStringConvertible {
  public var description: String { "\(name) (\(target))" }
}

/// Every saboteur there is: at least one for each law and one for each hazard.
public enum Saboteurs {
  public static var all: [Saboteur] { lawbreakers + weatherbeaten + faintHearted + lookingNowhere + misleading + [talkative] }
}
