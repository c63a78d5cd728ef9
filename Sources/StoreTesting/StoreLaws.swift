public import AggregatorCore

/// Holds a store against everything that a store has to do.
///
/// ```swift
/// let laws = StoreLaws("sqlite") {
///   let path = scratch.newPath()
///   return { SQLiteStore(at: path) }
/// }
/// let report = await laws.report()
/// #expect(report.breaches.isEmpty, "\(report)")
/// ```
public struct StoreLaws: Sendable {
  /// Opens a keeper of one place. What several of them keep, all of them see, as processes do that share a file or a server.
  public typealias Place = @Sendable () async throws -> any RecordStore

  /// Locks the place of a keeper against whoever writes there, and gives what unlocks it: once, however often it is called.
  public typealias Lock = @Sendable (any RecordStore) async throws -> @Sendable () -> Void

  public let name: String
  private let lock: Lock?
  private let place: @Sendable () async throws -> Place

  /// The laws for stores that are made by `place`: each call makes another place, in which nothing is kept yet; `lock` is for those that
  /// somebody else can lock.
  public init(_ name: String, locking lock: Lock? = nil, in place: @escaping @Sendable () async throws -> Place) {
    self.name = name
    self.lock = lock
    self.place = place
  }

  /// Every law, each in a place of its own.
  public func report() async -> StoreReport {
    var report = StoreReport(store: name)
    for law in StoreLaw.allCases {
      if let seen = await breach(of: law) { report.breaches.append((law, seen)) }
    }
    return report
  }

  /// What is seen instead of what one law demands; nil where it is kept.
  public func breach(of law: StoreLaw) async -> String? {
    do {
      try await StoreTrial(in: place(), locking: lock).check(law)
      return nil
    } catch let breach as StoreTrial.Breach {
      return breach.seen
    } catch {
      return "it failed: \(error)"
    }
  }
}

/// Which laws a store breaks.
public struct StoreReport: Sendable {
  public let store: String
  /// Each broken law, and what was seen.
  public internal(set) var breaches: [(law: StoreLaw, seen: String)] = []
}

extension StoreReport: CustomStringConvertible {
  /// A line for each failure: the store, the law, and what was seen.
  public var description: String {
    let kept = StoreLaw.allCases.count - breaches.count
    return (breaches.map { "\(store): \($0.law): \($0.seen)" } + ["\(store): \(kept) laws kept, \(breaches.count) broken"])
      .joined(separator: "\n")
  }
}
