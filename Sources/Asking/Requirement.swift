public import AggregatorCore

/// A requirement for an answer: `complete`, `live`, `found`, `age<1d`; and for a stored list `audited<7d`.
public enum Requirement: Sendable, Hashable {
  /// The verdict is `complete`.
  case complete
  /// The answer came from the service itself.
  case live
  /// The answer has at least one record.
  case found
  /// The rows have their expected shape: no field, type or key of them has drifted, and every value fits its field.
  case sameShape
  /// The answer is younger than this. A live answer always is; the age of a bundled one is unknown.
  case age(below: Duration)
  /// The stored list was recounted within this time, and no fault was found.
  case audited(within: Duration)

  private static let words: [Requirement] = [.complete, .live, .found, .sameShape]

  /// The word for the requirement, without its age: `complete`, `live`, `found`, `same-shape` or `age`.
  public var name: String {
    switch self {
    case .complete: "complete"
    case .live: "live"
    case .found: "found"
    case .sameShape: "same-shape"
    case .age: "age"
    case .audited: "audited"
    }
  }

  /// Reads requirements with commas between them.
  public static func all(in text: String) throws(SourceError) -> [Requirement] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part throws(SourceError) in
      let word = String(part).trimmingSpaces
      if let plain = Self.words.first(where: { $0.name == word }) { return plain }
      let sides = word.split(separator: "<", maxSplits: 1)
      guard sides.count == 2, ["age", "audited"].contains(sides[0]), let age = Duration(amount: String(sides[1])), age > .zero
      else {
        throw SourceError(
          .settings, "\"\(word)\" cannot be required",
          remedy: "write complete, live, found, same-shape, 'age<1d' or 'audited<7d', with commas between them")
      }
      return sides[0] == "age" ? .age(below: age) : .audited(within: age)
    }
  }

  /// Explains to a person why an answer does not meet the requirement; nil if it does.
  public func shortfall(of summary: Summary) -> String? {
    let origin = summary.origin
    switch self {
    case .complete where summary.verdict != .complete:
      return "the answer is \((summary.verdict ?? .unverifiable).kind), not complete"
    case .live where origin?.kind != .live:
      return "the answer is not live (\(origin?.kind.rawValue ?? "no answer"))"
    case .found where summary.given == 0: return "nothing was found"
    case .audited: return "only a stored list is audited; require it of status"
    case .sameShape where !summary.misfits.isEmpty: return "not every value fits its field: \(summary.misfits.counts)"
    case .age(let limit):
      switch origin?.kind {
      case .live: return nil
      case .cache:
        guard let age = origin?.ageOfAll else {
          return
            "the age of the cached answer is not known\(origin?.hasBundledRest ?? false ? ", since bundled records are among it" : "")"
        }
        return age < limit ? nil : "the answer is \(age.inWords) old, not younger than \(limit.inWords)"
      case .bundled, .replay, nil: return "the age of the answer is not known (\(origin?.kind.rawValue ?? "no answer"))"
      }
    default: return nil
    }
  }
}

extension [Requirement] {
  /// Returns the requirements that an answer does not meet, each with an explanation for a person.
  package func shortfalls(of summary: Summary) -> [Unmet] {
    compactMap { requirement in requirement.shortfall(of: summary).map { Unmet(requirement: requirement, description: $0) } }
  }

  /// Returns the same, and adds an unmet `same-shape` if the stored rows have drifted. Drifts that were already `told` are not repeated.
  package func shortfalls(of summary: Summary, drift: [ShapeDrift], told: [ShapeDrift]) -> [Unmet] {
    let unmet = shortfalls(of: summary)
    guard contains(.sameShape), !drift.isEmpty, !unmet.contains(where: { $0.requirement == .sameShape }) else { return unmet }
    let rest = drift.filter { !told.contains($0) }.map(\.sentence)
    let shape = rest.isEmpty ? "" : ": \(rest.joined(separator: ", "))"
    return unmet + [Unmet(requirement: .sameShape, description: "the rows do not look as they did\(shape)")]
  }
}
