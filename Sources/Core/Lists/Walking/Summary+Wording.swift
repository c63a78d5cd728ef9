// Values that hold errors, in the words of a face.

extension Origin {
  /// Returns the origin with its reason in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Origin { copy(of: self) { $0.reason = reason?.worded(words) } }
}

extension Verdict {
  /// Returns the verdict with its error in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Verdict {
    if case .partial(let shortfall) = self { .partial(shortfall.worded(words)) } else { self }
  }
}

extension Shortfall {
  /// Returns the shortfall with its error in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Shortfall {
    switch self {
    case .failed(let error): .failed(error.worded(words))
    case .budget(let error): .budget(error.worded(words))
    default: self
    }
  }
}

extension Summary {
  /// Returns the summary with its errors in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Summary {
    copy(of: self) { ($0.origin, $0.verdict) = (origin?.worded(words), verdict?.worded(words)) }
  }
}
