// What holds errors, in the words of a face.

extension Origin {
  /// The same with its reason in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Origin { changing(self) { $0.reason = reason?.worded(words) } }
}

extension Verdict {
  /// The same with its error in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Verdict {
    if case .partial(let shortfall) = self { .partial(shortfall.worded(words)) } else { self }
  }
}

extension Shortfall {
  /// The same with its error in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Shortfall {
    switch self {
    case .failed(let error): .failed(error.worded(words))
    case .budget(let error): .budget(error.worded(words))
    default: self
    }
  }
}

extension Summary {
  /// The same with its errors in a face's own words.
  public func worded(_ words: Remedy.Wording) -> Summary {
    changing(self) { ($0.origin, $0.verdict) = (origin?.worded(words), verdict?.worded(words)) }
  }
}
