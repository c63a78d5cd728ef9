public import AggregatorCore

/// Holds a store against everything that a store has to do.
///
/// ```swift
/// let laws = StoreLaws("sqlite") {
///   let path = scratch.newPath()
///   return { SQLiteStore(at: path) }
/// }
/// let report = await laws.report()
/// #expect(report.isPassed, "\(report)")
/// ```
public struct StoreLaws: Sendable {
  /// Opens a keeper of one place. What several of them keep, all of them see, as processes do that share a file or a server.
  public typealias Place = @Sendable () async throws -> any Keeper

  public let name: String
  private let place: @Sendable () async throws -> Place

  /// The laws for stores that are made by `place`: each call makes another place, in which nothing is kept yet.
  public init(_ name: String, in place: @escaping @Sendable () async throws -> Place) {
    self.name = name
    self.place = place
  }

  /// Every law, each in a place of its own.
  public func report() async -> StoreReport {
    var rows: [StoreReport.Row] = []
    for law in StoreLaw.allCases { rows.append(StoreReport.Row(law: law, outcome: await outcome(of: law))) }
    return StoreReport(store: name, rows: rows)
  }

  /// What becomes of one law.
  public func outcome(of law: StoreLaw) async -> Outcome {
    do {
      try await StoreTrial(in: place()).check(law)
      return .passed
    } catch let breach as StoreTrial.Breach {
      return .failed(breach.seen)
    } catch {
      return .failed("it failed: \(error)")
    }
  }
}

/// What became of every law.
public struct StoreReport: Sendable, Hashable {
  public struct Row: Sendable, Hashable {
    public let law: StoreLaw
    public let outcome: Outcome
  }

  public let store: String
  public let rows: [Row]

  public var failures: [Row] { rows.filter(\.outcome.isFailure) }
  public var isPassed: Bool { failures.isEmpty }
}

extension StoreReport: CustomStringConvertible {
  /// A line for each failure: the store, the law, and what was seen.
  public var description: String {
    let complaints = failures.map { row in
      if case .failed(let seen) = row.outcome { "\(store): \(row.law): \(seen)" } else { "" }
    }
    return (complaints + ["\(store): \(rows.count - failures.count) laws kept, \(failures.count) broken"]).joined(separator: "\n")
  }
}
